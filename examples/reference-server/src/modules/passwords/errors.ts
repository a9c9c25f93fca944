import { defineRefusal } from '../../http/refusal.js';

/** More password tasks are waiting than the workers can complete in time. */
export const PasswordWorkersBusyError = defineRefusal({
  code: 'PASSWORD_WORKERS_BUSY',
  status: 503,
  en: 'Too many sign-ins at once. Try again in a moment.',
  'zh-CN': '当前登录人数过多，请稍后再试。',
  carries: { retryAfterSeconds: 2 },
});

/** The old password is wrong in a self-service change. Not a 401, because the session is valid. */
export const OldPasswordWrongError = defineRefusal({
  code: 'OLD_PASSWORD_WRONG',
  status: 400,
  en: 'The old password is wrong.',
  'zh-CN': '原密码错误。',
});
