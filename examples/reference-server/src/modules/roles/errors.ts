import { defineRefusal } from '../../http/refusal.js';

export const RoleNameTakenError = defineRefusal({
  code: 'ROLE_NAME_TAKEN',
  status: 409,
  en: 'Another role has this name.',
  'zh-CN': '该角色名称已被使用。',
});

export const RoleInUseError = defineRefusal({
  code: 'ROLE_IN_USE',
  status: 409,
  en: 'Administrators have this role. Take it from them first.',
  'zh-CN': '该角色仍有管理员使用，请先移除。',
});

export const RoleUnknownError = defineRefusal({
  code: 'ROLE_UNKNOWN',
  status: 400,
  en: 'One of the roles does not exist.',
  'zh-CN': '所选角色不存在。',
});

/**
 * To grant rights, or to change a holder's rights or account, an administrator must hold all of these rights (USR-1).
 */
export const GrantNotHeldError = defineRefusal({
  code: 'GRANT_NOT_HELD',
  status: 403,
  en: 'You can grant and change only permissions that you hold yourself.',
  'zh-CN': '您只能授予或变更自己拥有的权限。',
});

/** After this change nobody would hold every permission, and some could never be granted again (USR-1). */
export const LastFullAdministratorError = defineRefusal({
  code: 'LAST_FULL_ADMINISTRATOR',
  status: 409,
  en: 'Somebody else has to have every permission first.',
  'zh-CN': '须先有其他管理员拥有全部权限。',
});
