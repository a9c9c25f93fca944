import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  CAPTCHA_BUSY: {
    status: 503,
    retry: 'wait-then-retry',
    message: 'Too many captchas at the moment; try again',
    en: 'Too many captchas at once. Try again in a moment.',
    'zh-CN': '当前人机验证请求过多，请稍后再试。',
  },
  CAPTCHA_PROVIDER_UNAVAILABLE: {
    status: 503,
    retry: 'answer-captcha',
    en: 'Captchas cannot be checked at the moment. Try again with a new one.',
    'zh-CN': '暂时无法校验人机验证，请重新获取后再试。',
  },
  CAPTCHA_REQUEST_REFUSED: {
    status: 400,
    retry: 'correct-request',
    message: '%s',
    en: 'There is no such captcha.',
    'zh-CN': '不支持此类人机验证。',
  },
});

export type CaptchaRefusalCode = keyof typeof refusals;
