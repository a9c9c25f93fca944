import { ADMINISTRATOR_ID, INSTANT, PASSWORD_HASH, ROLE_ID, THING_ID } from '../../../http/example-values.js';
import type { OperationTexts } from '../../../http/operation-text.js';

const page = { number: 1, size: 20, total: 1 };

const administrator = {
  id: ADMINISTRATOR_ID,
  username: 'li.hua',
  displayName: 'Li Hua',
  disabled: false,
  roleIds: [ROLE_ID],
  version: 1,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

const role = {
  id: ROLE_ID,
  name: 'Auditors',
  permissions: ['api:admin:audit-records:*'],
  version: 1,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

const appUser = {
  id: THING_ID,
  mobile: '+86138****5678',
  displayName: '',
  hasPassword: true,
  disabled: false,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

const profile = { data: { username: 'admin', displayName: 'Administrator' } };

/** Accounts of administrators, roles, and app users as administrators see them. */
export const administrationOperations: OperationTexts = {
  'GET /admin/profile': {
    tag: 'Own account',
    summary: 'Read one’s own account',
    refusals: ['ACCOUNT_GONE'],
    response: profile,
  },
  'PUT /admin/profile': {
    tag: 'Own account',
    summary: 'Change one’s own display name',
    refusals: ['ACCOUNT_GONE'],
    request: { displayName: 'Administrator' },
    response: profile,
  },
  'PUT /admin/profile/password': {
    tag: 'Own account',
    summary: 'Change one’s own password',
    description: 'Ends every session of the account, this one too.',
    refusals: ['OLD_PASSWORD_WRONG', 'ACCOUNT_GONE', 'PASSWORD_WORKERS_BUSY'],
    request: { oldPassword: PASSWORD_HASH, newPassword: PASSWORD_HASH.split('').reverse().join('') },
  },
  'GET /admin/administrators': {
    tag: 'Administrators and roles',
    summary: 'List administrators',
    response: { data: [administrator], page },
  },
  'POST /admin/administrators': {
    tag: 'Administrators and roles',
    summary: 'Create an administrator',
    description: 'Nobody grants what he doesn’t hold.',
    refusals: ['USERNAME_TAKEN', 'ROLE_UNKNOWN', 'GRANT_NOT_HELD', 'PASSWORD_WORKERS_BUSY'],
    request: { username: 'li.hua', password: PASSWORD_HASH, displayName: 'Li Hua', roleIds: [ROLE_ID] },
    response: { data: administrator },
  },
  'GET /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Read an administrator',
    refusals: ['NOT_FOUND'],
    response: { data: administrator },
  },
  'PUT /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Change an administrator',
    description: 'With `version` the change is made only if nobody else made one since. Disabling ends all sessions.',
    refusals: [
      'NOT_FOUND',
      'ROLE_UNKNOWN',
      'GRANT_NOT_HELD',
      'OWN_ACCOUNT',
      'VERSION_CONFLICT',
      'LAST_FULL_ADMINISTRATOR',
    ],
    request: { displayName: 'Li Hua', roleIds: [ROLE_ID], disabled: false, version: 1 },
    response: { data: { ...administrator, version: 2 } },
  },
  'PUT /admin/administrators/:id/password': {
    tag: 'Administrators and roles',
    summary: 'Reset the password of an administrator',
    description: 'Ends all of that account’s sessions.',
    refusals: ['NOT_FOUND', 'GRANT_NOT_HELD', 'OWN_ACCOUNT', 'PASSWORD_WORKERS_BUSY'],
    request: { password: PASSWORD_HASH },
  },
  'DELETE /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Delete an administrator',
    refusals: ['NOT_FOUND', 'GRANT_NOT_HELD', 'OWN_ACCOUNT', 'LAST_FULL_ADMINISTRATOR'],
  },
  'GET /admin/roles': {
    tag: 'Administrators and roles',
    summary: 'List roles',
    response: { data: [role], page },
  },
  'POST /admin/roles': {
    tag: 'Administrators and roles',
    summary: 'Create a role',
    description: 'A grant is a permission of this service, or a family of them that ends in `*`.',
    refusals: ['ROLE_NAME_TAKEN', 'GRANT_NOT_HELD'],
    request: { name: 'Auditors', permissions: ['api:admin:audit-records:*'] },
    response: { data: role },
  },
  'GET /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Read a role',
    refusals: ['NOT_FOUND'],
    response: { data: role },
  },
  'PUT /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Change a role',
    description: 'It rules from the next request of each holder on.',
    refusals: ['NOT_FOUND', 'ROLE_NAME_TAKEN', 'GRANT_NOT_HELD', 'VERSION_CONFLICT', 'LAST_FULL_ADMINISTRATOR'],
    request: { name: 'Auditors', permissions: ['api:admin:audit-records:*'], version: 1 },
    response: { data: { ...role, version: 2 } },
  },
  'DELETE /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Delete a role',
    refusals: ['NOT_FOUND', 'ROLE_IN_USE', 'GRANT_NOT_HELD'],
  },
  'GET /admin/app-users': {
    tag: 'App user administration',
    summary: 'List app users',
    description: 'Numbers are shown in part. Who knows a whole one finds its user by `mobile`.',
    refusals: ['MOBILE_INVALID'],
    response: { data: [appUser], page },
  },
  'GET /admin/app-users/:id': {
    tag: 'App user administration',
    summary: 'Read an app user',
    refusals: ['NOT_FOUND'],
    response: { data: appUser },
  },
  'PUT /admin/app-users/:id': {
    tag: 'App user administration',
    summary: 'Disable or enable an app user',
    description: 'Disabling ends all sessions; from then on a sign-in gets the answer of a wrong one.',
    refusals: ['NOT_FOUND'],
    request: { disabled: true },
    response: { data: { ...appUser, disabled: true } },
  },
  'DELETE /admin/app-users/:id/sessions': {
    tag: 'App user administration',
    summary: 'End all sessions of an app user',
    refusals: ['NOT_FOUND'],
  },
};
