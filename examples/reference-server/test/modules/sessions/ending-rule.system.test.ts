import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, roomy, root } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { writingOperations } from '../../support/writing-requests.js';

/** Requests of a manager about somebody: his id, and one of his sessions. */
type Attempt = (manager: Actor, id: string, sessionId: string) => ReturnType<Actor['call']>;

/** Every operation that changes the account of an administrator who is named, or ends his sessions. */
const OF_ADMINISTRATORS: Readonly<Record<string, Attempt>> = {
  'DELETE /admin/sessions/:id': (manager, _id, session) => manager.call('DELETE', `/admin/sessions/${session}`),
  'DELETE /admin/administrators/:id/sessions': (manager, id) =>
    manager.call('DELETE', `/admin/administrators/${id}/sessions`),
  'PUT /admin/administrators/:id': (manager, id) =>
    manager.call('PUT', `/admin/administrators/${id}`, { disabled: true }),
  'PUT /admin/administrators/:id/password': (manager, id) =>
    manager.call('PUT', `/admin/administrators/${id}/password`, { password: OTHER_PASSWORD }),
  'DELETE /admin/administrators/:id/second-factors': (manager, id) =>
    manager.call('DELETE', `/admin/administrators/${id}/second-factors`),
  'DELETE /admin/administrators/:id': (manager, id) => manager.call('DELETE', `/admin/administrators/${id}`),
};

/** The same of an app user. */
const OF_APP_USERS: Readonly<Record<string, Attempt>> = {
  'DELETE /admin/sessions/:id': OF_ADMINISTRATORS['DELETE /admin/sessions/:id']!,
  'DELETE /admin/app-users/:id/sessions': (manager, id) => manager.call('DELETE', `/admin/app-users/${id}/sessions`),
  'DELETE /admin/app-users/:id/second-factors': (manager, id) =>
    manager.call('DELETE', `/admin/app-users/${id}/second-factors`),
  'PUT /admin/app-users/:id': (manager, id) => manager.call('PUT', `/admin/app-users/${id}`, { disabled: true }),
};

/** Every other operation that writes: it is about the caller himself, or about no account that there is. */
const OTHERS = [
  'POST /admin/auth/login',
  'POST /admin/auth/register',
  'POST /admin/auth/clearLoginLimit',
  'POST /auth/logout',
  'POST /auth/tickets',
  'POST /auth/second-factor',
  'POST /auth/second-factor/options',
  'POST /auth/second-factors/totp',
  'POST /auth/second-factors/totp/:id/confirm',
  'POST /auth/second-factors/passkeys/options',
  'POST /auth/second-factors/passkeys',
  'POST /auth/second-factors/recovery-codes',
  'DELETE /auth/second-factors/:id',
  // They end no session.
  'POST /admin/administrators/:id/second-factors/enrolment-code',
  'POST /admin/app-users/:id/second-factors/enrolment-code',
  'PUT /admin/profile',
  'PUT /admin/profile/password',
  'POST /admin/administrators',
  'POST /admin/roles',
  'PUT /admin/roles/:id',
  'DELETE /admin/roles/:id',
  'POST /app/auth/sendSmsCode',
  'POST /app/auth/login',
  'POST /app/auth/recoverPassword',
  'PUT /app/profile',
  'PUT /app/profile/password',
  'DELETE /app/sessions',
  'DELETE /app/sessions/:id',
  'POST /admin/payments',
  'PUT /admin/system-parameters/:key',
  'POST /admin/storage/files',
  'POST /app/storage/files',
  'DELETE /admin/storage/files/:id',
  'POST /admin/storage/simulate',
  'POST /admin/audit-records/verify',
];

/** What the operations on accounts need, and nothing else. */
const MANAGER = [
  'api:admin:sessions:end',
  'api:admin:administrators:update',
  'api:admin:administrators:reset-password',
  'api:admin:administrators:delete',
  'api:admin:second-factors:reset-administrators',
];

describe('ending somebody’s sessions follows the rule of changing his account', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let manager: Actor;
  /** Accounts with a grant that the manager lacks. */
  let superiors: readonly Actor[];
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    const grants = [MANAGER, ['*'], ['api:admin:sessions:list']];
    const [first, ...others] = await Promise.all(grants.map((permissions) => actor(app, admin, permissions)));
    manager = first!;
    superiors = others;
  });
  afterAll(() => bench.close());

  const sessionOf = async (audience: string, subject: string) =>
    (await app.authTokens.sessions({ audience, subject }))[0]?.sessionId ?? '';
  const outcome = async (answer: ReturnType<Actor['call']>) => {
    const { statusCode, body } = await answer;
    return statusCode < 300 ? 'done' : `${statusCode} ${JSON.parse(body).code}`;
  };
  const attemptOn = async (attempt: Attempt, manager: Actor, audience: string, id: string) =>
    outcome(attempt(manager, id, await sessionOf(audience, id)));

  it('TOK-12 USR-1 every operation that writes is known to be about accounts, or not', () => {
    const known = new Set([...Object.keys(OF_ADMINISTRATORS), ...Object.keys(OF_APP_USERS), ...OTHERS]);
    expect([...known].sort()).toEqual([...writingOperations].sort());
  });

  it.each(Object.entries(OF_ADMINISTRATORS))(
    'TOK-12 TOK-7 USR-1 %s asks for every grant of the account',
    async (_operation, attempt) => {
      const peer = await actor(app, admin, ['api:admin:sessions:end']);
      for (const superior of superiors) {
        expect(await attemptOn(attempt, manager, 'admin', superior.id)).toBe('403 GRANT_NOT_HELD');
        // Not in other spellings either.
        expect(await attemptOn(attempt, manager, 'admin', superior.id.toUpperCase())).not.toBe('done');
        expect((await superior.call('GET', '/admin/profile')).statusCode).toBe(200);
      }
      expect(await attemptOn(attempt, manager, 'admin', peer.id)).toBe('done');
      expect((await peer.call('GET', '/admin/profile')).statusCode).toBe(401);
    },
  );

  it('TOK-12 TOK-7 a limited manager ends his own sessions, and nobody’s who holds more, disabled or not', async () => {
    const limited = await actor(app, admin, ['api:admin:sessions:end']);
    const full = superiors[0]!;
    const sessionId = await sessionOf('admin', full.id);
    await admin.call('PUT', `/admin/administrators/${full.id}`, { disabled: true });
    for (const path of [`sessions/${sessionId}`, `administrators/${full.id}/sessions`]) {
      expect(await outcome(limited.call('DELETE', `/admin/${path}`))).toBe('403 GRANT_NOT_HELD');
    }
    expect(await outcome(limited.call('DELETE', `/admin/administrators/${limited.id}/sessions`))).toBe('done');
    expect((await limited.call('GET', '/admin/profile')).statusCode).toBe(401);
  });

  it('TOK-12 TOK-7 own sessions need no permission, and an ended one is 404', async () => {
    const nobody = await actor(app, admin, []);
    const again = await actor(app, admin, []);
    const own = await sessionOf('admin', nobody.id);
    const { token } = await app.authTokens.issue({ audience: 'admin', subject: nobody.id });
    const second = { ...nobody, headers: { authorization: `Bearer ${token}` } };
    const end = (id: string) => app.inject({ method: 'DELETE', url: `/admin/sessions/${id}`, headers: second.headers });
    expect(await outcome(end(await sessionOf('admin', again.id)))).toBe('403 PERMISSION_DENIED');
    expect([await outcome(end(own)), await outcome(end(own))]).toEqual(['done', '404 NOT_FOUND']);
  });

  it.each(Object.entries(OF_APP_USERS))(
    'TOK-12 TOK-7 %s asks for what changing the app user asks for',
    async (operation, attempt) => {
      const user = await newAppUser(app);
      const [, payload = ''] = user.headers.authorization.split('.');
      const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const own = operation.includes('session') ? ['api:admin:sessions:end'] : [];
      const ofFactors = operation.includes('second-factors') ? ['api:admin:second-factors:reset-app-users'] : [];
      const needed = ['api:admin:app-users:update', ...own, ...ofFactors];
      for (const missing of needed) {
        const limited = await actor(app, admin, [
          'api:admin:app-users:list',
          ...needed.filter((code) => code !== missing),
        ]);
        expect(await attemptOn(attempt, limited, 'app', sub)).toBe('403 PERMISSION_DENIED');
      }
      expect((await user.call('GET', '/app/profile')).statusCode).toBe(200);
      expect(await attemptOn(attempt, await actor(app, admin, needed), 'app', sub)).toBe('done');
      expect((await user.call('GET', '/app/profile')).statusCode).toBe(401);
    },
  );
});
