import {
  LoginIpRefusedError,
  LoginLockedError,
  LoginPolicyUnavailableError,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { AccountGoneError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, PASSWORD_HASH } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { developmentAccount, passwordToSend } from '../administrators/index.js';
import {
  OldPasswordWrongError,
  PasswordCommonError,
  PasswordNotHashedError,
  PasswordReusedError,
} from '../passwords/index.js';

const profile = {
  data: {
    id: ADMINISTRATOR_ID,
    username: 'admin',
    displayName: 'Administrator',
    permissions: ['api:admin:payments:list', 'api:admin:payments:read'],
    grants: ['api:admin:payments:list', 'api:admin:payments:read'],
  },
};

/** The administrator's own account. */
export const profileOperations: OperationTexts = {
  'GET /admin/profile': {
    tag: 'Own account',
    summary: 'Read one’s own account',
    description: '`permissions` are the codes that it holds now, `grants` those of its roles, also families.',
    refusals: [AccountGoneError],
    response: profile,
  },
  'PUT /admin/profile': {
    tag: 'Own account',
    summary: 'Change one’s own display name',
    refusals: [AccountGoneError],
    request: { displayName: 'Administrator' },
    response: profile,
  },
  'PUT /admin/profile/password': {
    tag: 'Own account',
    summary: 'Change one’s own password',
    description:
      'Ends every session of the account, including this one. A wrong old password counts as a failed sign-in, over all sessions. The new one must not be the old one, also without a history. `deviceToken` is that of the sign-in: with it, guesses of strangers do not keep the owner from the change.',
    refusals: [
      OldPasswordWrongError,
      PasswordNotHashedError,
      PasswordCommonError,
      PasswordReusedError,
      LoginLockedError,
      // The terminal of the session may have left the settings since.
      LoginTerminalRefusedError,
      LoginIpRefusedError,
      LoginPolicyUnavailableError,
      AccountGoneError,
      PasswordHashingBusyError,
      StoreUnavailableError,
    ],
    request: { oldPassword: passwordToSend(developmentAccount.password), newPassword: PASSWORD_HASH },
  },
};
