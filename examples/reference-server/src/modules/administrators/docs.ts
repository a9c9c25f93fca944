import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { NotFoundError, VersionConflictError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, cursorPage, INSTANT, PASSWORD_HASH, ROLE_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { PasswordCommonError, PasswordNotHashedError, PasswordReusedError } from '../passwords/index.js';
import { GrantNotHeldError, LastFullAdministratorError, RoleUnknownError } from '../roles/index.js';
import { OwnAccountError, UsernameLooksAlikeError, UsernameTakenError } from './errors.js';

const administrator = {
  id: ADMINISTRATOR_ID,
  username: 'li.hua',
  displayName: 'Li Hua',
  disabled: false,
  inactive: false,
  roleIds: [ROLE_ID],
  version: 1,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

/** Accounts of administrators. */
export const administratorOperations: OperationTexts = {
  'GET /admin/administrators': {
    tag: 'Administrators and roles',
    summary: 'List administrators',
    response: {
      data: [administrator],
      page: cursorPage,
      roles: [{ id: ROLE_ID, name: 'Cashier', permissions: ['api:admin:payments:list'] }],
    },
  },
  'POST /admin/administrators': {
    tag: 'Administrators and roles',
    summary: 'Create an administrator',
    description:
      'Callers can grant only permissions that they hold. A name that looks like that of another account needs `confirm: true`, which the audit log records.',
    refusals: [
      PasswordNotHashedError,
      PasswordCommonError,
      UsernameTakenError,
      UsernameLooksAlikeError,
      RoleUnknownError,
      GrantNotHeldError,
      PasswordHashingBusyError,
    ],
    request: { username: 'li.hua', password: PASSWORD_HASH, displayName: 'Li Hua', roleIds: [ROLE_ID] },
    response: { data: administrator },
  },
  'GET /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Read an administrator',
    refusals: [NotFoundError],
    response: { data: administrator },
  },
  'PUT /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Change an administrator',
    description:
      'With `version`, the change is refused if the account has changed since that version. Disabling ends all sessions.',
    refusals: [
      NotFoundError,
      RoleUnknownError,
      GrantNotHeldError,
      OwnAccountError,
      VersionConflictError,
      LastFullAdministratorError,
      StoreUnavailableError,
    ],
    request: { displayName: 'Li Hua', roleIds: [ROLE_ID], disabled: false, version: 1 },
    response: { data: { ...administrator, version: 2 } },
  },
  'PUT /admin/administrators/:id/password': {
    tag: 'Administrators and roles',
    summary: 'Reset the password of an administrator',
    description: 'Ends all of that account’s sessions. While passwords age, the present one is refused.',
    refusals: [
      NotFoundError,
      PasswordNotHashedError,
      PasswordCommonError,
      PasswordReusedError,
      VersionConflictError,
      GrantNotHeldError,
      OwnAccountError,
      PasswordHashingBusyError,
      StoreUnavailableError,
    ],
    request: { password: PASSWORD_HASH },
  },
  'DELETE /admin/administrators/:id': {
    tag: 'Administrators and roles',
    summary: 'Delete an administrator',
    refusals: [NotFoundError, GrantNotHeldError, OwnAccountError, LastFullAdministratorError, StoreUnavailableError],
  },
};
