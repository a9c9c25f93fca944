import { defineRefusal, type PlaceFault } from '../../http/refusal.js';

export const UsernameTakenError = defineRefusal({
  code: 'USERNAME_TAKEN',
  status: 409,
  en: 'Another account has this user name.',
  'zh-CN': '该用户名已被使用。',
});

/** A name whose skeleton another account has (USR-6). An administrator may confirm that it is meant. */
export class UsernameLooksAlikeError extends defineRefusal({
  code: 'USERNAME_LOOKS_ALIKE',
  status: 409,
  en: 'The name looks like that of another account. Choose another one, or confirm it.',
  'zh-CN': '该用户名与另一账号的用户名外观相似，请更换用户名或予以确认。',
}) {
  readonly errors: readonly PlaceFault[];
  constructor(other: string) {
    super();
    this.errors = [{ pointer: '/username', detail: `looks like ${other}` }];
  }
}

/** Administrators cannot disable or delete their own account, or reset their own password. */
export const OwnAccountError = defineRefusal({
  code: 'OWN_ACCOUNT',
  status: 409,
  en: 'This cannot be done to your own account.',
  'zh-CN': '不能对自己的账号执行此操作。',
});
