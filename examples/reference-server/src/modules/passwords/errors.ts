import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { defineRefusal, describeRefusal } from '../../http/refusal.js';

describeRefusal(new PasswordHashingBusyError(), {
  en: 'The server is too busy to check the password. Try again in a moment.',
  'zh-CN': '服务器繁忙，暂时无法校验密码，请稍后再试。',
});

/** A new password that everybody tries first, or that is made from the user's own name or number (PWD-4). */
export const PasswordCommonError = defineRefusal({
  code: 'PASSWORD_COMMON',
  status: 400,
  en: 'This password is too easy to guess: it is common, or made from the username or mobile number of the account. Choose another one.',
  'zh-CN': '该密码过于常见，或由账号的用户名、手机号变化而来，容易被猜到，请更换密码。',
});

/** The old password is wrong in a self-service change. Not a 401, because the session is valid. */
export const OldPasswordWrongError = defineRefusal({
  code: 'OLD_PASSWORD_WRONG',
  status: 400,
  en: 'The old password is wrong.',
  'zh-CN': '原密码错误。',
});
