import { LifetimeUnavailableError, SessionRevokedError, SessionStoreUnavailableError } from '@sallyport/auth-tokens';
import {
  LoginLockedError,
  LoginNameRefusedError,
  LoginPolicyUnavailableError,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { AccountGoneError, MobileInvalidError, NotFoundError } from '../../http/errors.js';
import { INSTANT, LATER, PASSWORD_HASH, page, THING_ID, TOKEN } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { SafeModeError } from '../../protection/errors.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { NotificationQueueUnavailableError, SmsUnavailableError } from '../notifications/index.js';
import {
  CaptchaRequiredError,
  MobileRegionRefusedError,
  SmsCodeWrongError,
  SmsLimitedError,
} from '../one-time-codes/index.js';
import { OldPasswordWrongError, PasswordCommonError } from '../passwords/index.js';
import { LoginFailedError } from '../sign-in/index.js';

const appUser = {
  id: THING_ID,
  mobile: '+86138****5678',
  displayName: '',
  hasPassword: true,
  disabled: false,
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
    response: { data: [appUser], page },
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
    description: 'Disabling ends all sessions; later sign-ins get the answer for wrong credentials.',
    refusals: [NotFoundError],
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
    summary: 'Get a captcha if a text message requires one',
    refusals: [SystemParametersUnavailableError, StoreUnavailableError],
    response: { data: { enabled: false } },
  },
  'POST /app/auth/sendSmsCode': {
    tag: 'App users',
    summary: 'Ask for a code by text message',
    description: 'The answer is the same for every well-formed number. `key` and `code` answer a captcha.',
    refusals: [
      MobileInvalidError,
      MobileRegionRefusedError,
      CaptchaRequiredError,
      SmsLimitedError,
      SmsUnavailableError,
      NotificationQueueUnavailableError,
      SystemParametersUnavailableError,
    ],
    request: { mobile: '138 1234 5678' },
    response: { data: { validSeconds: 300, resendSeconds: 60 } },
  },
  'POST /app/auth/login': {
    tag: 'App users',
    summary: 'Sign in as an app user',
    description:
      'By password, by code, or by both; with both, both must be right. A right code alone creates the user if the number has none.',
    refusals: [
      MobileInvalidError,
      LoginFailedError,
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
    request: { mobile: '13812345678', smsCode: '482913', terminal: 'app' },
    response: { data: { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, mobile: '+8613812345678' } },
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
      'Needs the old password or a current code. Ends all sessions. A wrong old password counts as a failed sign-in.',
    refusals: [
      OldPasswordWrongError,
      PasswordCommonError,
      LoginLockedError,
      LoginPolicyUnavailableError,
      SmsCodeWrongError,
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
