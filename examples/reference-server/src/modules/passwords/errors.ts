import { defineRefusal } from '../../http/refusal.js';

/** A new password that is common, that leaked, or that is made from the own name, number or a given word (PWD-4). */
export const PasswordCommonError = defineRefusal({
  code: 'PASSWORD_COMMON',
  status: 400,
  en: 'This password is too easy to guess: it is common or has leaked, or is made from the username or mobile number of the account or from a word of the organisation. Choose another one.',
  'zh-CN': '该密码过于常见或已泄露，或由账号的用户名、手机号或本组织的词语变化而来，容易被猜到，请更换密码。',
});

/** A new password that cannot be a digest, or not the one that is required: its client forgot to hash it (PWD-6). */
export const PasswordNotHashedError = defineRefusal({
  code: 'PASSWORD_NOT_HASHED',
  status: 400,
  en: 'The app has to send a digest of the password, and this is none that is accepted here. Update the app, or tell its maker.',
  'zh-CN': '客户端须发送密码的摘要，而收到的内容不是此处接受的摘要，请更新客户端或联系其开发者。',
});

/** A new password that is one of the latest ones of the account (PWD-7). */
export const PasswordReusedError = defineRefusal({
  code: 'PASSWORD_REUSED',
  status: 400,
  en: 'This is one of the latest passwords of the account. Choose another one.',
  'zh-CN': '该密码与账号最近使用过的密码相同，请更换密码。',
});

/** The old password is wrong in a self-service change. Not a 401, because the session is valid. */
export const OldPasswordWrongError = defineRefusal({
  code: 'OLD_PASSWORD_WRONG',
  status: 400,
  en: 'The old password is wrong.',
  'zh-CN': '原密码错误。',
});
