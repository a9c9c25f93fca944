import { definePermissions } from '../../http/permission-group.js';

export const appUserPermissions = definePermissions({
  title: { en: 'App users', 'zh-CN': 'App 用户' },
  permissions: {
    'api:admin:app-users:list': {
      en: 'List app users and find one by number',
      'zh-CN': '查看 App 用户列表并按手机号查找',
    },
    'api:admin:app-users:read': { en: 'Read an app user', 'zh-CN': '查看 App 用户详情' },
    'api:admin:app-users:update': {
      en: 'Disable and enable app users, and end their sessions',
      'zh-CN': '停用、启用 App 用户并结束其会话',
    },
  },
});
