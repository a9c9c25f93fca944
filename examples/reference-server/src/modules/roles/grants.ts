import { isGranted, isPermissionGrant } from '@sallyport/auth-tokens';
import { defineBodyFormat } from '../../http/body-formats.js';

/**
 * Whether a role may hold the grant: a known code, or a family that has one. A slip would grant nothing, in silence.
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
 * Whether the holder of some grants holds this one as well: every code that it covers, and every one that it will cover
 * when there are more. So all codes of a family, one by one, are not the family.
 */
export function holdsGrant(held: readonly string[], grant: string): boolean {
  return held.some((own) => own === grant || (isFamily(own) && grant.startsWith(own.slice(0, -1))));
}

function isFamily(grant: string): boolean {
  return isPermissionGrant(grant) && grant.endsWith('*');
}
