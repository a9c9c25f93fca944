import { defineModule, notCommitted } from '../../http/module.js';
import { appUserOperations } from './docs.js';
import { appUserPermissions } from './permissions.js';
import { appUserRoutes } from './routes.js';

export { type AppUserNames, createAppUserNames } from './app-user-names.js';
export { appUsers as appUsersTable } from './table.js';

export const appUsers = defineModule({
  name: 'app-users',
  outcomes: { 'app-user.update': notCommitted, 'password.recover': notCommitted },
  permissions: appUserPermissions,
  tags: {
    'App users': 'Sign-in by mobile number, and the app user’s own account.',
    'App user administration': 'What administrators see and change of app users.',
  },
  operations: appUserOperations,
  routes: appUserRoutes,
});
