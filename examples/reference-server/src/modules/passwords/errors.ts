import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { defineRefusal, describeRefusal } from '../../http/refusal.js';

describeRefusal(new PasswordHashingBusyError(), {
  en: 'Too many sign-ins at once. Try again in a moment.',
  'zh-CN': '当前登录人数过多，请稍后再试。',
});

/** The old password is wrong in a self-service change. Not a 401, because the session is valid. */
export const OldPasswordWrongError = defineRefusal({
  code: 'OLD_PASSWORD_WRONG',
  status: 400,
  en: 'The old password is wrong.',
  'zh-CN': '原密码错误。',
});
