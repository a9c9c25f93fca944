import { defineModule, notCommitted } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { administratorOperations } from './docs.js';
import { administratorRoutes } from './routes.js';

export { createAccessControl, grantsQuery, isAccessSettled, rehearse } from './access-control.js';
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
export { passwordDutyOf } from './password-duty.js';
export { prepareAccounts } from './prepare-accounts.js';
export { administratorRoles as administratorRolesTable, administrators as administratorsTable } from './table.js';
export { newUsername, normalizeUsername } from './username.js';

const permissions = definePermissions({
  title: { en: 'Administrators', 'zh-CN': '管理员' },
  permissions: {
    'api:admin:administrators:list': { en: 'List and search administrators', 'zh-CN': '查看和搜索管理员列表' },
    'api:admin:administrators:create': { en: 'Create administrators', 'zh-CN': '创建管理员' },
    'api:admin:administrators:read': { en: 'Read an administrator', 'zh-CN': '查看管理员详情' },
    'api:admin:administrators:update': {
      en: 'Change and disable administrators, and assign roles',
      'zh-CN': '修改、停用管理员并分配角色',
    },
    'api:admin:administrators:delete': { en: 'Delete administrators', 'zh-CN': '删除管理员' },
    'api:admin:administrators:reset-password': {
      en: 'Reset the password of an administrator',
      'zh-CN': '重置管理员密码',
    },
  },
});

export const administrators = defineModule({
  name: 'administrators',
  outcomes: {
    'administrator.update': notCommitted,
    'administrator.delete': notCommitted,
    'password.reset': notCommitted,
  },
  permissions,
  tags: { 'Administrators and roles': 'Accounts, and the permissions that roles grant.' },
  operations: administratorOperations,
  routes: administratorRoutes,
});
