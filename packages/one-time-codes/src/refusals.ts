import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  CODE_RECIPIENT_REFUSED: {
    status: 400,
    retry: 'correct-request',
    en: 'This is not a recipient.',
    'zh-CN': '接收方格式错误。',
  },
  CAPTCHA_REQUIRED: {
    status: 400,
    retry: 'answer-captcha',
    en: 'Answer a captcha first, and ask again.',
    'zh-CN': '请先完成人机验证，然后重试。',
  },
  NEW_CODE_REQUIRED: {
    status: 400,
    retry: 'request-new-code',
    message: 'Ask for a new code',
    en: 'This code can no longer be used. Ask for a new one.',
    'zh-CN': '该验证码已不可用，请重新获取。',
  },
  CODE_SEND_LIMITED: {
    status: 429,
    retry: 'wait-then-retry',
    message: 'Too many codes were sent; try again later',
    en: 'Too many codes were sent. Try again later.',
    'zh-CN': '验证码发送过于频繁，请稍后再试。',
  },
  ONE_TIME_CODES_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Codes can be neither sent nor checked at the moment. Try again later.',
    'zh-CN': '暂时无法发送或校验验证码，请稍后再试。',
  },
});

export type OneTimeCodesRefusalCode = keyof typeof refusals;
