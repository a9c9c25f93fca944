import { defineModule, notCommitted } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { appUserOperations } from './docs.js';
import { appUserRoutes } from './routes.js';

export { type AppUserNames, createAppUserNames } from './app-user-names.js';
export { createAppUsers } from './app-users.js';
export { appPasswordDutyOf } from './password-duty.js';
export { appUsers as appUsersTable } from './table.js';

const permissions = definePermissions({
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

export const appUsers = defineModule({
  name: 'app-users',
  outcomes: { 'app-user.update': notCommitted, 'password.recover': notCommitted },
  permissions,
  tags: {
    'App users': 'Sign-in by mobile number, and the app user’s own account.',
    'App user administration': 'What administrators see and change of app users.',
  },
  operations: appUserOperations,
  routes: appUserRoutes,
});
