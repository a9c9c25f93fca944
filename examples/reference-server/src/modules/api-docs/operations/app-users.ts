import { LATER, PASSWORD_HASH, TOKEN } from '../../../http/example-values.js';
import type { OperationTexts } from '../../../http/operation-text.js';

const profile = { data: { mobile: '+8613812345678', displayName: 'Li Hua', hasPassword: true } };

/** App users sign in, and see to their own account. */
export const appUserOperations: OperationTexts = {
  'GET /app/auth/captcha': {
    tag: 'App users',
    summary: 'Get a captcha, where a text message needs one',
    refusals: ['SYSTEM_PARAMETERS_UNAVAILABLE', 'STORE_UNAVAILABLE'],
    response: { data: { enabled: false } },
  },
  'POST /app/auth/sendSmsCode': {
    tag: 'App users',
    summary: 'Ask for a code by text message',
    description: 'The answer is the same for every well-formed number. `key` and `code` answer a captcha.',
    refusals: [
      'MOBILE_INVALID',
      'MOBILE_REGION_REFUSED',
      'CAPTCHA_REQUIRED',
      'SMS_LIMITED',
      'SMS_UNAVAILABLE',
      'NOTIFICATION_QUEUE_UNAVAILABLE',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
    ],
    request: { mobile: '138 1234 5678' },
    response: { data: { validSeconds: 300, resendSeconds: 60 } },
  },
  'POST /app/auth/login': {
    tag: 'App users',
    summary: 'Sign in as an app user',
    description:
      'By password, by code, or by both, which then both have to be right. A right code alone makes the user of a number that has none.',
    refusals: [
      'MOBILE_INVALID',
      'LOGIN_FAILED',
      'LOGIN_LOCKED',
      'LOGIN_NAME_REFUSED',
      'LOGIN_TERMINAL_REFUSED',
      'LOGIN_POLICY_UNAVAILABLE',
      'PASSWORD_WORKERS_BUSY',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
      'SESSION_REVOKED',
      'SESSION_STORE_UNAVAILABLE',
      'SESSION_LIFETIME_UNAVAILABLE',
      // A number without a user, where none can be made.
      'SAFE_MODE',
    ],
    request: { mobile: '13812345678', smsCode: '482913', terminal: 'app' },
    response: { data: { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, mobile: '+8613812345678' } },
  },
  'GET /app/profile': {
    tag: 'App users',
    summary: 'Read one’s own account',
    refusals: ['ACCOUNT_GONE'],
    response: profile,
  },
  'PUT /app/profile': {
    tag: 'App users',
    summary: 'Change one’s own display name',
    refusals: ['ACCOUNT_GONE'],
    request: { displayName: 'Li Hua' },
    response: profile,
  },
  'PUT /app/profile/password': {
    tag: 'App users',
    summary: 'Set or change one’s own password',
    description: 'With the old password or with a code that was just sent. Ends all sessions.',
    refusals: ['OLD_PASSWORD_WRONG', 'SMS_CODE_WRONG', 'ACCOUNT_GONE', 'PASSWORD_WORKERS_BUSY', 'STORE_UNAVAILABLE'],
    request: { newPassword: PASSWORD_HASH, smsCode: '482913' },
  },
  'DELETE /app/sessions': {
    tag: 'App users',
    summary: 'End all of one’s own sessions',
  },
};
