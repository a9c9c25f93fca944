import { defineModule } from '../../http/module.js';
import { roleOperations } from './docs.js';
import { roleRoutes } from './routes.js';

export type { AccessChange, AccessControl } from './access.js';
export { GrantNotHeldError, LastFullAdministratorError, RoleUnknownError } from './errors.js';
export { holdsGrant } from './grants.js';
export { roles as rolesTable } from './table.js';

export const roles = defineModule({
  name: 'roles',
  permissions: [
    'api:admin:roles:list',
    'api:admin:roles:create',
    'api:admin:roles:read',
    'api:admin:roles:update',
    'api:admin:roles:delete',
  ],
  operations: roleOperations,
  routes: roleRoutes,
});
