import { defineRefusal } from '../../http/refusal.js';

/**
 * The key or the answer is missing, wrong, used or expired, or belongs to another purpose: deliberately one error. It
 * reveals nothing about the password (ADM-1, CAP-1).
 */
export const CaptchaInvalidError = defineRefusal({
  code: 'CAPTCHA_INVALID',
  status: 400,
  en: 'The captcha was answered wrongly, too late or not at all. Answer a new one.',
  'zh-CN': '人机验证的答案有误、已过期或未填写，请重新验证。',
});

/** The operator allows other kinds of captchas for this purpose. Without `kind`, one of those is issued (CAP-1). */
export const CaptchaKindRefusedError = defineRefusal({
  code: 'CAPTCHA_KIND_REFUSED',
  status: 400,
  en: 'This kind of captcha is not accepted here. Ask without a kind.',
  'zh-CN': '此处不接受该类型的人机验证，请求时请勿指定类型。',
});
