import { type App, defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { roleOperations } from './docs.js';
import { type PermissionRouteDependencies, permissionRoute } from './permission-route.js';
import { type RoleDependencies, roleRoutes } from './routes.js';

export type { AccessChange, AccessControl } from './access.js';
export { GrantNotHeldError, LastFullAdministratorError, RoleUnknownError } from './errors.js';
export { holdsGrant } from './grants.js';
export { normalizeRoleName } from './roles.js';
export { roles as rolesTable } from './table.js';

const permissions = definePermissions({
  title: { en: 'Roles', 'zh-CN': '角色' },
  permissions: {
    'api:admin:roles:list': { en: 'List roles', 'zh-CN': '查看角色列表' },
    'api:admin:roles:create': { en: 'Create roles', 'zh-CN': '创建角色' },
    'api:admin:roles:read': { en: 'Read a role', 'zh-CN': '查看角色详情' },
    'api:admin:roles:update': { en: 'Change roles and their permissions', 'zh-CN': '修改角色及其权限' },
    'api:admin:roles:delete': { en: 'Delete roles', 'zh-CN': '删除角色' },
  },
});

export const roles = defineModule({
  name: 'roles',
  permissions,
  operations: roleOperations,
  async routes(app: App, dependencies: RoleDependencies & PermissionRouteDependencies) {
    await roleRoutes(app, dependencies);
    await permissionRoute(app, dependencies);
  },
});
