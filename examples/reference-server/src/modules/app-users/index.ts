import { defineModule, notCommitted } from '../../http/module.js';
import { appUserOperations } from './docs.js';
import { appUserRoutes } from './routes.js';

export const appUsers = defineModule({
  name: 'app-users',
  outcomes: { 'app-user.update': notCommitted, 'password.recover': notCommitted },
  permissions: ['api:admin:app-users:list', 'api:admin:app-users:read', 'api:admin:app-users:update'],
  tags: {
    'App users': 'Sign-in by mobile number, and the app user’s own account.',
    'App user administration': 'What administrators see and change of app users.',
  },
  operations: appUserOperations,
  routes: appUserRoutes,
});
