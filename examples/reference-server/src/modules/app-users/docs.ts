import { LifetimeUnavailableError, SessionRevokedError, SessionStoreUnavailableError } from '@sallyport/auth-tokens';
import { CaptchaBusyError, CaptchaProviderUnavailableError } from '@sallyport/captcha';
import {
  LoginLockedError,
  LoginNameRefusedError,
  LoginPolicyUnavailableError,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import {
  CodeCaptchaRequiredError,
  NewCodeRequiredError,
  OneTimeCodesUnavailableError,
} from '@sallyport/one-time-codes';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { AccountGoneError, MobileInvalidError, NotFoundError, VersionConflictError } from '../../http/errors.js';
import { cursorPage, DEVICE_TOKEN, INSTANT, LATER, PASSWORD_HASH, THING_ID, TOKEN } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { SafeModeError } from '../../protection/errors.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { CaptchaInvalidError, CaptchaKindRefusedError } from '../captcha/index.js';
import { NotificationQueueUnavailableError, SmsUnavailableError } from '../notifications/index.js';
import { MobileRegionRefusedError, SmsCodeWrongError, SmsLimitedError } from '../one-time-codes/index.js';
import {
  OldPasswordWrongError,
  PasswordCommonError,
  PasswordNotHashedError,
  PasswordReusedError,
} from '../passwords/index.js';
import { LoginFailedError } from '../sign-in/index.js';

/** The answer to a request for a code. */
const HANDLE = 'oL9l5hP4Qm2nXw0aRk7JvA';

const appUser = {
  id: THING_ID,
  mobile: '+86138****5678',
  displayName: '',
  hasPassword: true,
  disabled: false,
  inactive: false,
  createdAt: INSTANT,
  updatedAt: INSTANT,
};

const profile = { data: { mobile: '+8613812345678', displayName: 'Li Hua', hasPassword: true } };

/** Sign-in and account of app users, and their administration. */
export const appUserOperations: OperationTexts = {
  'GET /admin/app-users': {
    tag: 'App user administration',
    summary: 'List app users',
    description: 'Numbers are masked. `mobile` finds the user with a whole number.',
    refusals: [MobileInvalidError],
    response: { data: [appUser], page: cursorPage },
  },
  'GET /admin/app-users/:id': {
    tag: 'App user administration',
    summary: 'Read an app user',
    refusals: [NotFoundError],
    response: { data: appUser },
  },
  'PUT /admin/app-users/:id': {
    tag: 'App user administration',
    summary: 'Disable or enable an app user',
    description: 'Disabling ends all sessions and device tokens; later sign-ins get the answer for wrong credentials.',
    refusals: [NotFoundError, StoreUnavailableError],
    request: { disabled: true },
    response: { data: { ...appUser, disabled: true } },
  },
  'DELETE /admin/app-users/:id/sessions': {
    tag: 'App user administration',
    summary: 'End all sessions of an app user',
    refusals: [NotFoundError],
  },
  'GET /app/auth/captcha': {
    tag: 'App users',
    summary: 'Get a captcha if this client needs one',
    description:
      'As `GET /admin/auth/captcha`. `enabled` says whether the network of the client needs one: for a text message, for a code, or for a recovery, which always needs one. Told a number as `mobile`, it says whether the next request for this number needs one. With `for` a captcha is issued in any case, for a request that was answered `CAPTCHA_REQUIRED`.',
    refusals: [
      MobileInvalidError,
      CaptchaKindRefusedError,
      CaptchaBusyError,
      OneTimeCodesUnavailableError,
      SystemParametersUnavailableError,
      StoreUnavailableError,
    ],
    response: { data: { enabled: false } },
  },
  'POST /app/auth/sendSmsCode': {
    tag: 'App users',
    summary: 'Ask for a code by text message',
    description:
      'The answer is the same for every well-formed number, whether or not a message is sent. `handle` belongs to this send: sign in with it, so that nobody else’s wrong codes count against yours. `for` binds the code to a purpose, which its message names; without it the code serves every purpose. `key` with `code` or `proof` answers a captcha.',
    refusals: [
      MobileInvalidError,
      MobileRegionRefusedError,
      CodeCaptchaRequiredError,
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      SmsLimitedError,
      SmsUnavailableError,
      NotificationQueueUnavailableError,
      OneTimeCodesUnavailableError,
      StoreUnavailableError,
      SystemParametersUnavailableError,
    ],
    request: { mobile: '138 1234 5678' },
    response: { data: { handle: HANDLE, validSeconds: 300, resendSeconds: 60 } },
  },
  'POST /app/auth/login': {
    tag: 'App users',
    summary: 'Sign in as an app user',
    description:
      'By password, by code, or by both; with both, both must be right. A right code alone creates the user if the number has none. `handle` is what the request for the code answered. After many wrong codes a code needs a captcha (`key`, `code`, `proof`), and after more a new code, which is longer. `deviceToken` is that of an earlier sign-in from this device, which the answer replaces; users without a password get none.',
    refusals: [
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      MobileInvalidError,
      LoginFailedError,
      CodeCaptchaRequiredError,
      NewCodeRequiredError,
      OneTimeCodesUnavailableError,
      StoreUnavailableError,
      LoginLockedError,
      LoginNameRefusedError,
      LoginTerminalRefusedError,
      LoginPolicyUnavailableError,
      PasswordHashingBusyError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
      SessionRevokedError,
      SessionStoreUnavailableError,
      LifetimeUnavailableError,
      // A number without a user, in safe mode.
      SafeModeError,
    ],
    request: { mobile: '13812345678', smsCode: '482913', handle: HANDLE, terminal: 'app' },
    response: {
      data: {
        ...{ token: TOKEN, tokenType: 'Bearer', expiresAt: LATER },
        ...{ mobile: '+8613812345678', deviceToken: DEVICE_TOKEN },
      },
    },
  },
  'POST /app/auth/recoverPassword': {
    tag: 'App users',
    summary: 'Set a new password with a code',
    description:
      'Needs a captcha for `recover`. The code was asked for with `for: "recover"`, or without `for`. Ends all sessions. The answer is the same for a number without a user, which gets none.',
    refusals: [
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      MobileInvalidError,
      PasswordNotHashedError,
      PasswordCommonError,
      PasswordReusedError,
      VersionConflictError,
      CaptchaInvalidError,
      SmsCodeWrongError,
      NewCodeRequiredError,
      PasswordHashingBusyError,
      OneTimeCodesUnavailableError,
      SystemParametersUnavailableError,
      StoreUnavailableError,
      SessionStoreUnavailableError,
      DatabaseUnavailableError,
    ],
    request: {
      mobile: '13812345678',
      smsCode: '482913',
      handle: HANDLE,
      newPassword: PASSWORD_HASH,
      key: 'MvQ8Tn1wT6y0q5hYkZbXxg',
      code: 'H3KWTXA',
    },
  },
  'GET /app/profile': {
    tag: 'App users',
    summary: 'Read one’s own account',
    refusals: [AccountGoneError],
    response: profile,
  },
  'PUT /app/profile': {
    tag: 'App users',
    summary: 'Change one’s own display name',
    refusals: [AccountGoneError],
    request: { displayName: 'Li Hua' },
    response: profile,
  },
  'PUT /app/profile/password': {
    tag: 'App users',
    summary: 'Set or change one’s own password',
    description:
      'Needs the old password, or a code that was asked for with `for: "recover"` or without `for`. Ends all sessions. A wrong old password counts as a failed sign-in, over all sessions. The new one must not be the old one that is given nor, while passwords age, the present one. `deviceToken` is that of the sign-in: with it, guesses of strangers do not keep the owner from the change.',
    refusals: [
      CaptchaBusyError,
      CaptchaProviderUnavailableError,
      OldPasswordWrongError,
      PasswordNotHashedError,
      PasswordCommonError,
      PasswordReusedError,
      LoginLockedError,
      // The terminal of the session may have left the settings since.
      LoginTerminalRefusedError,
      LoginPolicyUnavailableError,
      SmsCodeWrongError,
      CodeCaptchaRequiredError,
      NewCodeRequiredError,
      OneTimeCodesUnavailableError,
      SystemParametersUnavailableError,
      AccountGoneError,
      PasswordHashingBusyError,
      StoreUnavailableError,
    ],
    request: { newPassword: PASSWORD_HASH, smsCode: '482913' },
  },
  'DELETE /app/sessions': {
    tag: 'App users',
    summary: 'End all of one’s own sessions',
  },
};
