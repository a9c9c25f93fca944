import { LifetimeUnavailableError, SessionRevokedError, SessionStoreUnavailableError } from '@sallyport/auth-tokens';
import {
  LoginIpRefusedError,
  LoginLockedError,
  LoginNameRefusedError,
  LoginPolicyUnavailableError,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { LATER, PASSWORD_HASH, TOKEN } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { UsernameTakenError } from '../administrators/index.js';
import { CaptchaInvalidError } from '../captcha/index.js';
import { PasswordCommonError } from '../passwords/index.js';
import { LoginFailedError, RegistrationClosedError } from './errors.js';

const CAPTCHA = {
  data: { enabled: true, key: 'wB3Jt0cYt1yQ', image: 'data:image/svg+xml;base64,PHN2Zy8+', expiresInSeconds: 120 },
};

/** Sign-in and registration of administrators. */
export const signInOperations: OperationTexts = {
  'GET /admin/auth/captcha': {
    tag: 'Administrator sign-in',
    summary: 'Get a captcha if one is required',
    description:
      'An answer is valid for 120 s and for one attempt, right or wrong. `for=register` returns the captcha for a registration.',
    refusals: [SystemParametersUnavailableError, StoreUnavailableError],
    response: CAPTCHA,
  },
  'POST /admin/auth/login': {
    tag: 'Administrator sign-in',
    summary: 'Sign in as an administrator',
    description:
      'The password is what the reference clients send: the lower-case hex SM3 of what was typed. `key` and `code` answer a captcha, where one is needed. Unknown names and wrong passwords get one answer.',
    refusals: [
      LoginFailedError,
      LoginLockedError,
      LoginIpRefusedError,
      LoginNameRefusedError,
      LoginTerminalRefusedError,
      LoginPolicyUnavailableError,
      CaptchaInvalidError,
      PasswordHashingBusyError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
      SessionRevokedError,
      SessionStoreUnavailableError,
      LifetimeUnavailableError,
    ],
    request: { username: 'admin', password: PASSWORD_HASH, terminal: 'web' },
    response: { data: { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, username: 'admin' } },
  },
  'POST /admin/auth/register': {
    tag: 'Administrator sign-in',
    summary: 'Register an administrator’s account',
    description:
      'Closed unless `admin.auth.registration.enabled` opens it. The new account has no role and no permissions until an administrator assigns one.',
    refusals: [
      RegistrationClosedError,
      CaptchaInvalidError,
      LoginIpRefusedError,
      PasswordCommonError,
      UsernameTakenError,
      PasswordHashingBusyError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
    ],
    request: {
      username: 'li.hua',
      password: PASSWORD_HASH,
      terminal: 'web',
      displayName: 'Li Hua',
      key: 'wB3Jt0cYt1yQ',
      code: 'x7kp',
    },
    response: { data: { username: 'li.hua', displayName: 'Li Hua' } },
  },
};
