import { randomUUID } from 'node:crypto';
import { passwordToSend } from '../src/modules/administrators/index.js';
import { type ApiRequest, callFor } from './api-client.js';
import { factorOperations } from './factor-operations.js';
import { codeFor } from './scenarios/sms-code.js';
import { cheapProofs, solvedCaptcha } from './solved-captcha.js';
import type { LoadContext, PreparedRequest, WritingOperation } from './writing-operation.js';

export type { LoadContext, PreparedRequest, WritingOperation } from './writing-operation.js';

const PASSWORD = passwordToSend('correct horse');
const OTHER_PASSWORD = passwordToSend('battery staple');

const unique = (name: string) => `${name}-${randomUUID()}`;

let lastMobile = 13_300_000_000 + (Date.now() % 50_000_000);
const freshMobile = () => `+86${++lastMobile}`;

const call = ({ origin, token }: LoadContext, expected: number, path: string, request: ApiRequest = {}) =>
  callFor(expected, origin, path, { token, ...request });

const by = (method: string, path: string, token: string, body?: object): PreparedRequest => ({
  path,
  request: { method, token, ...(body && { body }) },
});

/** A request without a session. */
const anonymous = (path: string, body: object): PreparedRequest => ({ path, request: { method: 'POST', body } });

async function newRole(context: LoadContext, permissions: readonly string[] = []): Promise<string> {
  const body = { name: unique('role'), permissions };
  return (await call(context, 201, '/admin/roles', { body })).id;
}

async function newAdministrator(
  context: LoadContext,
  permissions?: readonly string[],
): Promise<{ id: string; username: string }> {
  const username = unique('account');
  const roleIds = [await newRole(context, permissions)];
  const body = { username, password: PASSWORD, displayName: username, roleIds };
  return { id: (await call(context, 201, '/admin/administrators', { body })).id, username };
}

/** Makes an administrator with these permissions (default: none), and signs him in. */
export async function signedIn(
  context: LoadContext,
  permissions?: readonly string[],
): Promise<{ id: string; token: string }> {
  const { id, username } = await newAdministrator(context, permissions);
  const body = { username, password: PASSWORD, terminal: 'web' };
  return { id, token: (await callFor(200, context.origin, '/admin/auth/login', { body })).token };
}

async function newAppUser(context: LoadContext): Promise<{ id: string; mobile: string; token: string }> {
  const mobile = freshMobile();
  const body = { mobile, smsCode: await codeFor(context.origin, mobile), terminal: 'app' };
  const { token } = await callFor(200, context.origin, '/app/auth/login', { body });
  return { id: subjectOf(token), mobile, token };
}

/** The claim `sub` of a token. */
function subjectOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sub;
}

async function newFile(context: LoadContext): Promise<string> {
  return (await call(context, 201, '/admin/storage/files', { body: textFile() })).id;
}

/** A form with a text file that no other has. */
function textFile(): FormData {
  const form = new FormData();
  form.append('file', new Blob([`content ${randomUUID()}`], { type: 'text/plain' }), `${unique('file')}.txt`);
  return form;
}

/** Parameters that the load may change: limits that it never reaches. */
const PARAMETERS = [
  'app.auth.sms.captcha-after',
  'app.auth.sms.ip-hourly-limit',
  'app.auth.sms.overall-hourly-limit',
  'app.auth.sms.mobile-daily-limit',
  'auth.token.admin.absolute-seconds',
] as const;

let turn = 0;

/** Values that every cell of a run starts with. */
export const loadParameters = {
  'admin.auth.login.ip-failure-count': 0,
  'app.auth.sms.resend-seconds': 1,
  'app.auth.sms.captcha-after': 100_000,
  'app.auth.sms.ip-hourly-limit': 100_000,
  'app.auth.sms.mobile-daily-limit': 1000,
  'app.auth.sms.mobile-captcha-after': 1000,
  'app.auth.sms.overall-hourly-limit': 10_000_000,
  'app.auth.sms.region-hourly-limit': 10_000_000,
  'app.auth.sms.low-use-percent': 0,
  'admin.auth.registration.enabled': true,
  'app.auth.second-factor.mode': 'OPTIONAL',
  ...cheapProofs,
};

/** Variables of the nodes: no limit of requests is under test. */
export const loadEnvironment = {
  SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_RECOVERY_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '1000000',
  // The load compares its requests with the documented operations.
  SERVICE_API_DOCS_ENABLED: 'true',
};

/** A valid request for every operation of the server that writes. A test compares them with those of the server. */
export const writingOperations: Readonly<Record<string, WritingOperation>> = {
  ...factorOperations({ by, newAppUser, signedIn }),
  'POST /admin/auth/login': {
    async prepare(context) {
      const { username } = await newAdministrator(context);
      return anonymous('/admin/auth/login', { username, password: PASSWORD, terminal: 'web' });
    },
  },
  'POST /admin/auth/register': {
    async prepare({ origin }) {
      const captcha = await solvedCaptcha(origin, 'register');
      const username = unique('visitor');
      const body = { username, password: PASSWORD, terminal: 'web', displayName: username, ...captcha };
      return anonymous('/admin/auth/register', body);
    },
  },
  'POST /admin/auth/clearLoginLimit': {
    prepare: async ({ token }) => by('POST', '/admin/auth/clearLoginLimit', token, { username: unique('anybody') }),
  },
  'POST /auth/second-factor': {
    prepare: async (context) =>
      by('POST', '/auth/second-factor', (await signedIn(context)).token, { kind: 'password', password: PASSWORD }),
  },
  'POST /auth/logout': {
    prepare: async (context) => by('POST', '/auth/logout', (await signedIn(context)).token, {}),
  },
  'DELETE /admin/sessions/:id': {
    async prepare(context) {
      const { token } = await signedIn(context);
      const [session] = await callFor(200, context.origin, '/admin/sessions', { token });
      return by('DELETE', `/admin/sessions/${session.id}`, context.token);
    },
  },
  'DELETE /admin/administrators/:id/sessions': {
    prepare: async (context) =>
      by('DELETE', `/admin/administrators/${(await signedIn(context)).id}/sessions`, context.token),
  },
  'POST /auth/tickets': {
    prepare: async (context) =>
      by('POST', '/auth/tickets', context.token, { purpose: 'storage:download', resource: await newFile(context) }),
  },
  'PUT /admin/profile': {
    prepare: async (context) =>
      by('PUT', '/admin/profile', (await signedIn(context)).token, { displayName: unique('name') }),
  },
  'PUT /admin/profile/password': {
    async prepare(context) {
      const body = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
      return by('PUT', '/admin/profile/password', (await signedIn(context)).token, body);
    },
  },
  'POST /admin/administrators': {
    hasKey: true,
    async prepare({ token }) {
      const username = unique('new');
      return by('POST', '/admin/administrators', token, { username, password: PASSWORD, displayName: username });
    },
  },
  'PUT /admin/administrators/:id': {
    prepare: async (context) =>
      by('PUT', `/admin/administrators/${(await signedIn(context)).id}`, context.token, { disabled: true }),
  },
  'PUT /admin/administrators/:id/password': {
    prepare: async (context) =>
      by('PUT', `/admin/administrators/${(await signedIn(context)).id}/password`, context.token, {
        password: OTHER_PASSWORD,
      }),
  },
  'DELETE /admin/administrators/:id': {
    prepare: async (context) => by('DELETE', `/admin/administrators/${(await signedIn(context)).id}`, context.token),
  },
  'POST /admin/roles': {
    hasKey: true,
    prepare: async ({ token }) =>
      by('POST', '/admin/roles', token, { name: unique('role'), permissions: ['api:admin:roles:list'] }),
  },
  'PUT /admin/roles/:id': {
    prepare: async (context) =>
      by('PUT', `/admin/roles/${await newRole(context)}`, context.token, { permissions: ['*'] }),
  },
  'DELETE /admin/roles/:id': {
    prepare: async (context) => by('DELETE', `/admin/roles/${await newRole(context)}`, context.token),
  },
  'PUT /admin/app-users/:id': {
    prepare: async (context) =>
      by('PUT', `/admin/app-users/${(await newAppUser(context)).id}`, context.token, { disabled: true }),
  },
  'DELETE /admin/app-users/:id/sessions': {
    prepare: async (context) =>
      by('DELETE', `/admin/app-users/${(await newAppUser(context)).id}/sessions`, context.token),
  },
  'POST /app/auth/sendSmsCode': {
    prepare: async () => anonymous('/app/auth/sendSmsCode', { mobile: freshMobile() }),
  },
  'POST /app/auth/login': {
    async prepare({ origin }) {
      const mobile = freshMobile();
      return anonymous('/app/auth/login', { mobile, smsCode: await codeFor(origin, mobile), terminal: 'app' });
    },
  },
  'POST /app/auth/recoverPassword': {
    async prepare(context) {
      const { origin } = context;
      const { mobile } = await newAppUser(context);
      const smsCode = await codeFor(origin, mobile);
      const captcha = await solvedCaptcha(origin, 'recover');
      return anonymous('/app/auth/recoverPassword', { mobile, smsCode, newPassword: OTHER_PASSWORD, ...captcha });
    },
  },
  'PUT /app/profile': {
    prepare: async (context) =>
      by('PUT', '/app/profile', (await newAppUser(context)).token, { displayName: unique('name') }),
  },
  'PUT /app/profile/password': {
    async prepare(context) {
      const { mobile, token } = await newAppUser(context);
      const smsCode = await codeFor(context.origin, mobile);
      return by('PUT', '/app/profile/password', token, { newPassword: PASSWORD, smsCode });
    },
  },
  'DELETE /app/sessions/:id': {
    async prepare(context) {
      const { token } = await newAppUser(context);
      const [session] = await callFor(200, context.origin, '/app/sessions', { token });
      return by('DELETE', `/app/sessions/${session.id}`, token);
    },
  },
  'DELETE /app/sessions': {
    prepare: async (context) => by('DELETE', '/app/sessions', (await newAppUser(context)).token),
  },
  'POST /admin/payments': {
    hasKey: true,
    prepare: async ({ token }) => by('POST', '/admin/payments', token, { payee: unique('payee'), amount: '12.50' }),
  },
  'PUT /admin/system-parameters/:key': {
    async prepare(context) {
      const path = `/admin/system-parameters/${PARAMETERS[turn++ % PARAMETERS.length]}`;
      const { value, version } = await call(context, 200, path);
      return by('PUT', path, context.token, { value: value - 1, version, confirm: true });
    },
  },
  'POST /admin/storage/files': {
    hasKey: true,
    prepare: async ({ token }) => ({ path: '/admin/storage/files', request: { token, body: textFile() } }),
  },
  'DELETE /admin/storage/files/:id': {
    prepare: async (context) => by('DELETE', `/admin/storage/files/${await newFile(context)}`, context.token),
  },
  'POST /admin/storage/simulate': {
    prepare: async ({ token }) => ({
      path: '/admin/storage/simulate?fileName=a.txt',
      request: { token, body: 'text', headers: { 'content-type': 'text/plain' } },
    }),
  },
  'POST /admin/audit-records/verify': {
    prepare: async ({ token }) => ({ path: '/admin/audit-records/verify', request: { method: 'POST', token } }),
  },
  // From the release in which app users have files of their own.
  'POST /app/storage/files': {
    hasKey: true,
    prepare: async (context) => ({
      path: '/app/storage/files',
      request: { token: (await newAppUser(context)).token, body: textFile() },
    }),
  },
};
