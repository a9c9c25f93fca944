import { defineRefusal } from '../../http/refusal.js';

/** Unknown name or number, wrong password or code, disabled account: deliberately one error (ADM-3, APP-3). */
export const LoginFailedError = defineRefusal({
  code: 'LOGIN_FAILED',
  status: 401,
  en: 'The sign-in details are wrong.',
  'zh-CN': '登录信息有误。',
});

/** Registration is closed (USR-3). */
export const RegistrationClosedError = defineRefusal({
  code: 'REGISTRATION_CLOSED',
  status: 403,
  en: 'Registration is closed.',
  'zh-CN': '注册功能未开放。',
});
