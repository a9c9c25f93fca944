import { NotFoundError, VersionConflictError } from '../../http/errors.js';
import { INSTANT, page, ROLE_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { GrantNotHeldError, LastFullAdministratorError, RoleInUseError, RoleNameTakenError } from './errors.js';

const role = {
  id: ROLE_ID,
  name: 'Auditors',
  permissions: ['api:admin:audit-records:*'],
  version: 1,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

/** Roles and their grants. */
export const roleOperations: OperationTexts = {
  'GET /admin/permissions': {
    tag: 'Administrators and roles',
    summary: 'List the permissions of this service',
    description:
      'The catalogue for forms: every permission, by group, with its texts in each language. It needs no permission.',
    response: {
      data: [
        {
          name: 'payments',
          title: { en: 'Payments', 'zh-CN': '付款' },
          permissions: [{ code: 'api:admin:payments:read', text: { en: 'Read a payment', 'zh-CN': '查看付款详情' } }],
        },
      ],
    },
  },
  'GET /admin/roles': {
    tag: 'Administrators and roles',
    summary: 'List roles',
    response: { data: [role], page },
  },
  'POST /admin/roles': {
    tag: 'Administrators and roles',
    summary: 'Create a role',
    description: 'A grant is a permission of this service, or a prefix of permissions that ends in `*`.',
    refusals: [RoleNameTakenError, GrantNotHeldError],
    request: { name: 'Auditors', permissions: ['api:admin:audit-records:*'] },
    response: { data: role },
  },
  'GET /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Read a role',
    refusals: [NotFoundError],
    response: { data: role },
  },
  'PUT /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Change a role',
    description: 'It takes effect on the next request of each holder.',
    refusals: [NotFoundError, RoleNameTakenError, GrantNotHeldError, VersionConflictError, LastFullAdministratorError],
    request: { name: 'Log readers', permissions: ['api:admin:audit-records:list'], version: 1 },
    response: {
      data: { ...role, name: 'Log readers', permissions: ['api:admin:audit-records:list'], version: 2 },
    },
  },
  'DELETE /admin/roles/:id': {
    tag: 'Administrators and roles',
    summary: 'Delete a role',
    refusals: [NotFoundError, RoleInUseError, GrantNotHeldError],
  },
};
