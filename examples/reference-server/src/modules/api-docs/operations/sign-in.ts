import { ADMINISTRATOR_ID, INSTANT, LATER, PASSWORD_HASH, SESSION_ID, TOKEN } from '../../../http/example-values.js';
import type { OperationTexts } from '../../../http/operation-text.js';

const CAPTCHA = {
  data: { enabled: true, key: 'wB3Jt0cYt1yQ', image: 'data:image/svg+xml;base64,PHN2Zy8+', expiresInSeconds: 120 },
};

/** Administrators sign in, and out. */
export const signInOperations: OperationTexts = {
  'GET /admin/auth/captcha': {
    tag: 'Administrator sign-in',
    summary: 'Get a captcha, where one is needed',
    description:
      'An answer is good for 120 s and for one attempt, right or wrong. `for=register` asks for the one of a registration.',
    refusals: ['SYSTEM_PARAMETERS_UNAVAILABLE', 'STORE_UNAVAILABLE'],
    response: CAPTCHA,
  },
  'POST /admin/auth/login': {
    tag: 'Administrator sign-in',
    summary: 'Sign in as an administrator',
    description:
      'The password is what the reference clients send: the lower-case hex SM3 of what was typed. `key` and `code` answer a captcha, where one is needed. Unknown names and wrong passwords get one answer.',
    refusals: [
      'LOGIN_FAILED',
      'LOGIN_LOCKED',
      'LOGIN_IP_REFUSED',
      'LOGIN_NAME_REFUSED',
      'LOGIN_TERMINAL_REFUSED',
      'LOGIN_POLICY_UNAVAILABLE',
      'CAPTCHA_INVALID',
      'PASSWORD_WORKERS_BUSY',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
      'SESSION_REVOKED',
      'SESSION_STORE_UNAVAILABLE',
      'SESSION_LIFETIME_UNAVAILABLE',
    ],
    request: { username: 'admin', password: PASSWORD_HASH, terminal: 'web' },
    response: { data: { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, username: 'admin' } },
  },
  'POST /admin/auth/register': {
    tag: 'Administrator sign-in',
    summary: 'Register an administrator’s account',
    description:
      'Closed unless `admin.auth.registration.enabled` opens it. The new account has no role, and may do nothing until somebody gives it one.',
    refusals: [
      'REGISTRATION_CLOSED',
      'LOGIN_IP_REFUSED',
      'USERNAME_TAKEN',
      'PASSWORD_WORKERS_BUSY',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
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
  'POST /auth/logout': {
    tag: 'Sessions',
    summary: 'Sign out',
    description: 'The session ends at once, on every node. The body is empty, or an empty object.',
  },
  'POST /admin/auth/clearLoginLimit': {
    tag: 'Administrator sign-in',
    summary: 'Clear the failed attempts of a name',
    description: 'The counters of the name at the terminal, and of every address for it.',
    refusals: ['LOGIN_NAME_REFUSED', 'LOGIN_TERMINAL_REFUSED', 'LOGIN_POLICY_UNAVAILABLE'],
    request: { username: 'li.hua', terminal: 'Web' },
  },
  'GET /admin/login-policy/explain': {
    tag: 'Administrator sign-in',
    summary: 'Explain which counter refuses a name, and until when',
    description: 'The answer is the same for names that nobody has.',
    refusals: [
      'LOGIN_NAME_REFUSED',
      'LOGIN_TERMINAL_REFUSED',
      'LOGIN_POLICY_UNAVAILABLE',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
    ],
    response: {
      data: {
        username: 'li.hua',
        terminal: 'web',
        lockedUntil: LATER,
        counters: [{ counter: 'account', address: null, limit: 20, state: 'locked', lockedUntil: LATER }],
      },
    },
  },
  'GET /admin/sessions': {
    tag: 'Sessions',
    summary: 'List the sessions of a subject',
    description: 'One’s own need no permission; those of others `api:admin:sessions:list`.',
    refusals: ['PERMISSIONS_UNAVAILABLE'],
    response: {
      data: [
        {
          id: SESSION_ID,
          subject: ADMINISTRATOR_ID,
          terminal: 'web',
          clientIp: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          issuedAt: INSTANT,
          lastSeenAt: INSTANT,
          expiresAt: LATER,
          current: true,
        },
      ],
      page: { number: 1, size: 20, total: 1 },
    },
  },
  'DELETE /admin/sessions/:id': {
    tag: 'Sessions',
    summary: 'End a session',
    description: 'One’s own need no permission; those of others `api:admin:sessions:end`.',
    refusals: ['PERMISSIONS_UNAVAILABLE', 'NOT_FOUND'],
  },
  'DELETE /admin/administrators/:id/sessions': {
    tag: 'Sessions',
    summary: 'End all sessions of an administrator',
    refusals: ['NOT_FOUND'],
  },
  'POST /auth/tickets': {
    tag: 'Sessions',
    summary: 'Get a single-use ticket',
    description:
      'For a link that can’t send a header. It is bound to one purpose and one resource, lives at most 60 s, and dies with its session. The purpose `storage:download` takes the id of a file, and needs `api:admin:storage:download`.',
    refusals: ['TICKET_USE_INVALID', 'PERMISSIONS_UNAVAILABLE'],
    request: { purpose: 'storage:download', resource: '01a1fe6c-58d8-7678-ac10-501d938cc1f7' },
    response: { data: { ticket: '8Rr1yF0c2kT6oXkq3l0mHw', expiresInSeconds: 60 } },
  },
};
