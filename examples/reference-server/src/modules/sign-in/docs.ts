import { LifetimeUnavailableError, SessionRevokedError, SessionStoreUnavailableError } from '@sallyport/auth-tokens';
import { CaptchaBusyError, CaptchaProviderUnavailableError } from '@sallyport/captcha';
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
import { DEVICE_TOKEN, LATER, PASSWORD_HASH, TOKEN } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { developmentAccount, passwordToSend, UsernameTakenError } from '../administrators/index.js';
import { CaptchaInvalidError, CaptchaKindRefusedError } from '../captcha/index.js';
import { PasswordCommonError, PasswordNotHashedError } from '../passwords/index.js';
import { LoginFailedError, RegistrationClosedError } from './errors.js';

const KEY = 'wB3Jt0cYt1yQmlHc1bTNuA';

const CAPTCHA = {
  data: {
    enabled: true,
    key: KEY,
    kind: 'image',
    kinds: ['image', 'proof-of-work'],
    image: 'data:image/png;base64,iVBORw0KGgo=',
    expiresInSeconds: 120,
  },
};

/** Sign-in and registration of administrators. */
export const signInOperations: OperationTexts = {
  'GET /admin/auth/captcha': {
    tag: 'Administrator sign-in',
    summary: 'Get a captcha if one is required',
    description:
      'An answer is valid for 120 s, for one attempt, right or wrong, and for the purpose in `for`. `kinds` are those that suffice; `kind` asks for one of them. The text of `image` is answered in `code`. A proof for `challenge` is answered in `proof`; `solve` of `@sallyport/captcha/client` makes it.',
    refusals: [CaptchaKindRefusedError, CaptchaBusyError, SystemParametersUnavailableError, StoreUnavailableError],
    response: CAPTCHA,
  },
  'POST /admin/auth/login': {
    tag: 'Administrator sign-in',
    summary: 'Sign in as an administrator',
    description:
      'The password is what the reference clients send: the lower-case hex SM3 of what was typed. `key` with `code` or `proof` answers a captcha, where one is needed. `deviceToken` is that of an earlier sign-in from this device, which the answer replaces: with it, guesses of strangers do not lock the owner out. Unknown names and wrong passwords get one answer.',
    refusals: [
      LoginFailedError,
      LoginLockedError,
      LoginIpRefusedError,
      LoginNameRefusedError,
      LoginTerminalRefusedError,
      LoginPolicyUnavailableError,
      CaptchaInvalidError,
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      PasswordHashingBusyError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
      SessionRevokedError,
      SessionStoreUnavailableError,
      LifetimeUnavailableError,
    ],
    // The account that a development server has.
    request: {
      username: developmentAccount.username,
      password: passwordToSend(developmentAccount.password),
      terminal: 'web',
    },
    response: {
      data: { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, username: 'admin', deviceToken: DEVICE_TOKEN },
    },
  },
  'POST /admin/auth/register': {
    tag: 'Administrator sign-in',
    summary: 'Register an administrator’s account',
    description:
      'Closed unless `admin.auth.registration.enabled` opens it. The new account has no role and no permissions until an administrator assigns one.',
    refusals: [
      RegistrationClosedError,
      CaptchaInvalidError,
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      LoginIpRefusedError,
      PasswordNotHashedError,
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
      key: KEY,
      code: 'h3kwtxa',
    },
    response: { data: { username: 'li.hua', displayName: 'Li Hua' } },
  },
};
