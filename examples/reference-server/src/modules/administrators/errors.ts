import { defineRefusal } from '../../http/refusal.js';

export const UsernameTakenError = defineRefusal({
  code: 'USERNAME_TAKEN',
  status: 409,
  en: 'Another account has this user name.',
  'zh-CN': '该用户名已被使用。',
});

/** Administrators cannot disable or delete their own account, or reset their own password. */
export const OwnAccountError = defineRefusal({
  code: 'OWN_ACCOUNT',
  status: 409,
  en: 'This cannot be done to your own account.',
  'zh-CN': '不能对自己的账号执行此操作。',
});
