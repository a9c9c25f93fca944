import type { CodeCaptchaRequiredError } from '@sallyport/one-time-codes';
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

/** A sending limit was reached: that of the client, of the country, or of all numbers together (OTC-2, OTC-3). */
export class SmsLimitedError extends defineRefusal({
  code: 'SMS_LIMITED',
  status: 429,
  en: 'Too many codes were sent. Try again later.',
  'zh-CN': '短信验证码发送过于频繁，请稍后再试。',
}) {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** The refusal of a send or a check, which says where the captcha is to be had (OTC-4). */
export function withCaptchaPlace(error: CodeCaptchaRequiredError, purpose: 'sms' | 'login'): CodeCaptchaRequiredError {
  return Object.assign(error, { captcha: `/app/auth/captcha?for=${purpose}` });
}

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
