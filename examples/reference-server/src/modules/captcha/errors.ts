import { defineRefusal } from '../../http/refusal.js';

/**
 * The key or the answer is missing, wrong, used or expired: deliberately one error. It reveals nothing about the
 * password (ADM-1).
 */
export const CaptchaInvalidError = defineRefusal({
  code: 'CAPTCHA_INVALID',
  status: 400,
  en: 'The captcha was not answered, or it was used. Answer a new one.',
  'zh-CN': '验证码错误或已失效，请重新获取。',
});
