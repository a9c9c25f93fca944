import { defineRefusal } from '../../http/refusal.js';

/**
 * The code is wrong, used, expired or was tried too often: deliberately one error. Not a 401, because the session is
 * valid.
 */
export const SmsCodeWrongError = defineRefusal({
  code: 'SMS_CODE_WRONG',
  status: 400,
  en: 'The code is wrong, or it can no longer be used.',
  'zh-CN': '短信验证码错误或已失效。',
});

/** A sending limit was reached: that of the number, of the client, or of all numbers together (APP-5). */
export class SmsLimitedError extends defineRefusal({
  code: 'SMS_LIMITED',
  status: 429,
  en: 'Too many codes were sent. Try again later.',
  'zh-CN': '短信验证码发送过于频繁，请稍后再试。',
  example: { retryAfterSeconds: 60 },
}) {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** So many codes were sent that the next one needs a captcha, and the request has no right answer to one (APP-5). */
export const CaptchaRequiredError = defineRefusal({
  code: 'CAPTCHA_REQUIRED',
  status: 400,
  en: 'Answer a captcha first, and ask again.',
  'zh-CN': '请先完成验证码，再重新获取短信验证码。',
  carries: { clientAction: 'answer-captcha' },
});

/**
 * Codes are sent only to numbers of the configured countries (APP-5). Premium-rate numbers elsewhere would let
 * attackers profit from the messages.
 */
export const MobileRegionRefusedError = defineRefusal({
  code: 'MOBILE_REGION_REFUSED',
  status: 400,
  en: 'No messages are sent to numbers of this country.',
  'zh-CN': '不支持向该国家或地区的号码发送短信。',
});
