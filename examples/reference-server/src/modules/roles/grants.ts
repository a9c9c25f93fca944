import { isGranted, isPermissionGrant } from '@sallyport/auth-tokens';

/** Every permission code of the server. A route that asks for another one refuses the start (TOK-8). */
export const permissions = [
  'api:admin:administrators:list',
  'api:admin:administrators:create',
  'api:admin:administrators:read',
  'api:admin:administrators:update',
  'api:admin:administrators:delete',
  'api:admin:administrators:reset-password',
  'api:admin:roles:list',
  'api:admin:roles:create',
  'api:admin:roles:read',
  'api:admin:roles:update',
  'api:admin:roles:delete',
  'api:admin:app-users:list',
  'api:admin:app-users:read',
  'api:admin:app-users:update',
  'api:admin:sessions:list',
  'api:admin:sessions:end',
  'api:admin:payments:list',
  'api:admin:payments:create',
  'api:admin:payments:read',
  'api:admin:storage:upload',
  'api:admin:storage:simulate',
  'api:admin:storage:list',
  'api:admin:storage:read',
  'api:admin:storage:delete',
  'api:admin:storage:download',
  'api:admin:audit-records:list',
  'api:admin:audit-records:export',
  'api:admin:health:read',
  'api:admin:metrics:read',
  'api:admin:auth:clearLoginLimit',
  'api:admin:login-policy:explain',
  'api:admin:notifications:list',
  'api:admin:system-parameters:read',
  'api:admin:system-parameters:write',
] as const;

/** Whether a role may hold the grant: a known code, or a family that has one. A slip would grant nothing, in silence. */
export function isKnownGrant(grant: string): boolean {
  return isPermissionGrant(grant) && permissions.some((code) => isGranted([grant], code));
}

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
