import { type App, defineModule } from '../../http/module.js';
import { roleOperations } from './docs.js';
import { type PermissionRouteDependencies, permissionRoute } from './permission-route.js';
import { rolePermissions } from './permissions.js';
import { type RoleDependencies, roleRoutes } from './routes.js';

export type { AccessChange, AccessControl } from './access.js';
export { GrantNotHeldError, LastFullAdministratorError, RoleUnknownError } from './errors.js';
export { holdsGrant } from './grants.js';
export { normalizeRoleName } from './roles.js';
export { roles as rolesTable } from './table.js';

export const roles = defineModule({
  name: 'roles',
  permissions: rolePermissions,
  operations: roleOperations,
  async routes(app: App, dependencies: RoleDependencies & PermissionRouteDependencies) {
    await roleRoutes(app, dependencies);
    await permissionRoute(app, dependencies);
  },
});
