import { isGranted, isPermissionGrant } from '@sallyport/auth-tokens';
import { defineBodyFormat } from '../../http/body-formats.js';

/**
 * Whether the grant is a known code, or a family with at least one known code. A misspelt grant would silently grant
 * nothing.
 */
function isKnownGrant(grant: string, permissions: readonly string[]): boolean {
  return isPermissionGrant(grant) && permissions.some((code) => isGranted([grant], code));
}

export const permissionGrantFormat = defineBodyFormat('permission-grant', {
  accepts: (grant, { permissions }) => isKnownGrant(grant, permissions),
  en: 'has to be a permission of this service, or a family of them that ends in `*`',
  'zh-CN': '须为本服务的权限代码，或以 `*` 结尾的权限范围',
});

/**
 * Whether the held grants cover this one: all codes that it covers now, and all that it will cover after codes are
 * added. All codes of a family, listed one by one, therefore do not cover the family.
 */
export function holdsGrant(held: readonly string[], grant: string): boolean {
  return held.some((own) => own === grant || (isFamily(own) && grant.startsWith(own.slice(0, -1))));
}

function isFamily(grant: string): boolean {
  return isPermissionGrant(grant) && grant.endsWith('*');
}
