import { defineModule, notCommitted } from '../../http/module.js';
import { administratorOperations } from './docs.js';
import { administratorPermissions } from './permissions.js';
import { administratorRoutes } from './routes.js';

export { accessControl, grantsQuery } from './access-control.js';
export {
  type Administrator,
  type Administrators,
  type AdministratorWithGrants,
  createAdministrators,
} from './administrators.js';
export { developmentAccount, passwordToSend } from './development-account.js';
export { UsernameTakenError } from './errors.js';
export { generateAccount } from './generated-account.js';
export { keepSkeleton } from './look-alikes.js';
export { prepareAccounts } from './prepare-accounts.js';
export { administratorRoles as administratorRolesTable, administrators as administratorsTable } from './table.js';
export { newUsername, normalizeUsername } from './username.js';

export const administrators = defineModule({
  name: 'administrators',
  outcomes: {
    'administrator.update': notCommitted,
    'administrator.delete': notCommitted,
    'password.reset': notCommitted,
  },
  permissions: administratorPermissions,
  tags: { 'Administrators and roles': 'Accounts, and the permissions that roles grant.' },
  operations: administratorOperations,
  routes: administratorRoutes,
});
