import { definePermissions } from '../../http/permission-group.js';

export const rolePermissions = definePermissions({
  title: { en: 'Roles', 'zh-CN': '角色' },
  permissions: {
    'api:admin:roles:list': { en: 'List roles', 'zh-CN': '查看角色列表' },
    'api:admin:roles:create': { en: 'Create roles', 'zh-CN': '创建角色' },
    'api:admin:roles:read': { en: 'Read a role', 'zh-CN': '查看角色详情' },
    'api:admin:roles:update': { en: 'Change roles and their permissions', 'zh-CN': '修改角色及其权限' },
    'api:admin:roles:delete': { en: 'Delete roles', 'zh-CN': '删除角色' },
  },
});
