import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const USE = { purpose: 'storage:download', resource: 'file-1' };

describe('the end of sessions', () => {
  let bench: TestBench;
  let app: App;
  let other: App;
  let admin: Actor;
  let target: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    other = await bench.app(roomy);
  });
  beforeEach(async () => {
    admin = await root(app);
    target = await actor(app, admin, ['api:admin:roles:list', 'api:admin:storage:download']);
  });
  afterAll(() => bench.close());

  const onBoth = async (headers: Actor['headers'], url = '/admin/profile', nodes = [app, other]) => {
    const answers = await Promise.all(nodes.map((node) => node.inject({ url, headers })));
    return [...new Set(answers.map((answer) => `${answer.statusCode} ${answer.json().code ?? ''}`.trim()))];
  };
  const ticketOf = async (who: Actor): Promise<string> => {
    const answer = await who.call('POST', '/auth/tickets', USE);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({ data: { ticket: expect.any(String), expiresInSeconds: 60 } });
    return answer.json().data.ticket;
  };
  /** Each ticket on a separate node. */
  const areVoid = async (tickets: readonly string[], nodes = [app, other]) => {
    const redemptions = tickets.map((ticket, i) => nodes[i]!.authTokens.redeemTicket({ ...USE, ticket }));
    for (const outcome of await Promise.allSettled(redemptions)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TICKET_INVALID' } });
    }
  };
  const path = () => `/admin/administrators/${target.id}`;
  const sessionId = async () => (await target.call('GET', '/admin/sessions')).json().data[0].id as string;

  const ends: Record<string, readonly [() => Promise<{ statusCode: number }>, string]> = {
    logout: [() => target.call('POST', '/auth/logout'), 'SESSION_REVOKED'],
    'revoke one': [async () => admin.call('DELETE', `/admin/sessions/${await sessionId()}`), 'SESSION_REVOKED'],
    'revoke all': [() => admin.call('DELETE', `${path()}/sessions`), 'SESSION_REVOKED'],
    'own password change': [
      () => target.call('PUT', '/admin/profile/password', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD }),
      'PASSWORD_CHANGED',
    ],
    reset: [() => admin.call('PUT', `${path()}/password`, { password: OTHER_PASSWORD }), 'PASSWORD_CHANGED'],
    disable: [() => admin.call('PUT', path(), { disabled: true }), 'ACCOUNT_DISABLED'],
    delete: [() => admin.call('DELETE', path()), 'ACCOUNT_DISABLED'],
  };

  it.each(Object.entries(ends))(
    'TOK-6 TOK-7 TOK-10 USR-2 AT-07 after %s the next request is refused on every node, with the reason, and a ticket is void',
    async (_name, [end, reason]) => {
      const tickets = [await ticketOf(target), await ticketOf(target)];
      expect(await onBoth(target.headers)).toEqual(['200']);
      expect([200, 204]).toContain((await end()).statusCode);
      expect(await onBoth(target.headers)).toEqual([`401 ${reason}`]);
      await areVoid(tickets);
      expect((await target.call('POST', '/auth/tickets', USE)).statusCode).toBe(401);
    },
  );

  it.each([
    ['of its role', () => admin.call('PUT', `/admin/roles/${target.roleId}`, { permissions: [] })],
    ['of its roles', () => admin.call('PUT', path(), { roleIds: [] })],
  ])(
    'TOK-6 TOK-10 a change %s applies to the next request on every node, tickets included, and ends no session',
    async (_what, change) => {
      expect(await onBoth(target.headers, '/admin/roles')).toEqual(['200']);
      const tickets = [await ticketOf(target), await ticketOf(target)];
      expect((await change()).statusCode).toBe(200);
      expect(await onBoth(target.headers, '/admin/roles')).toEqual(['403 PERMISSION_DENIED']);
      expect((await target.call('POST', '/auth/tickets', USE)).json()).toMatchObject({ code: 'PERMISSION_DENIED' });
      await areVoid(tickets);
      expect(await onBoth(target.headers)).toEqual(['200']);
    },
  );

  it('TOK-4 TOK-6 TOK-10 when a key is retired its tokens are refused on the next request, get no ticket, and their tickets are void', async () => {
    const ticket = await ticketOf(target);
    const key = randomBytes(48).toString('base64url');
    const retired = await bench.app({
      ...roomy,
      SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
      SERVICE_AUTH_TOKEN_KEY: key,
    });
    expect(await onBoth(target.headers, '/admin/profile', [retired])).toEqual(['401 TOKEN_INVALID']);
    const refused = await retired.inject({
      method: 'POST',
      url: '/auth/tickets',
      headers: target.headers,
      payload: USE,
    });
    expect(refused.statusCode).toBe(401);
    await areVoid([ticket], [retired]);
    // Tickets are valid as long as the earlier key verifies.
    expect(await app.authTokens.redeemTicket({ ...USE, ticket: await ticketOf(target) })).toMatchObject({
      subject: target.id,
    });
  });

  it('USR-2 after a change or a reset only the new password signs in', async () => {
    const third = 'c'.repeat(64);
    await target.call('PUT', '/admin/profile/password', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD });
    const attempt = async (password: string) =>
      (await signIn(app, { username: target.username, password, terminal: 'web' })).statusCode;
    expect([await attempt(PASSWORD), await attempt(OTHER_PASSWORD)]).toEqual([401, 200]);
    await admin.call('PUT', `${path()}/password`, { password: third });
    expect([await attempt(OTHER_PASSWORD), await attempt(third)]).toEqual([401, 200]);
    await admin.call('PUT', path(), { disabled: true });
    expect(await attempt(third)).toBe(401);
    await admin.call('PUT', path(), { disabled: false });
    expect(await attempt(third)).toBe(200);
  });

  it('USR-2 with a wrong old password nothing changes and no session ends; after ten guesses of a session in 15 minutes, from any address, 429', async () => {
    const guess = (oldPassword: string, remoteAddress: string) =>
      app.inject({
        method: 'PUT',
        url: '/admin/profile/password',
        headers: target.headers,
        payload: { oldPassword, newPassword: OTHER_PASSWORD },
        remoteAddress,
      });
    for (let i = 0; i < 10; i += 1) {
      const refused = await guess('d'.repeat(64), `192.0.2.${i}`);
      expect(refused.json()).toMatchObject({ status: 400, code: 'OLD_PASSWORD_WRONG' });
    }
    expect((await guess(PASSWORD, '192.0.2.99')).json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(await onBoth(target.headers)).toEqual(['200']);
    expect((await signIn(app, { username: target.username, password: PASSWORD, terminal: 'web' })).statusCode).toBe(
      200,
    );
  });

  it('USR-2 PWD-7 ten requests of a stolen session in 15 minutes leave the owner the change in another one', async () => {
    const { headers } = target;
    const own = await token(app, target.username);
    const send = (by: Actor['headers'], payload: object, node = app) =>
      node.inject({ method: 'PUT', url: '/admin/profile/password', headers: by, payload });
    for (let i = 0; i < 10; i += 1) expect((await send(headers, {})).statusCode).toBe(400);
    expect((await send(headers, {})).json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const change = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    expect((await send(own, change)).statusCode).toBe(204);
  });

  it('USR-2 PWD-5 the changes of many sessions are at most thirty in 15 minutes, also refused ones', async () => {
    const payload = { oldPassword: PASSWORD, newPassword: PASSWORD };
    const codes: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const headers = await token(app, target.username);
      for (let i = 0; i < (n < 3 ? 10 : 1); i += 1) {
        codes.push((await app.inject({ method: 'PUT', url: '/admin/profile/password', headers, payload })).json().code);
      }
    }
    expect(codes).toEqual([...Array(30).fill('PASSWORD_REUSED'), 'RATE_LIMITED']);
  });

  it('USR-2 LGN-5 LGN-6 wrong old passwords of many sessions count together: five from an address, twenty from all', async () => {
    const sessions = [target.headers];
    // One after the other: as many as five at once have a place.
    for (let n = 0; n < 5; n += 1) sessions.push(await token(app, target.username));
    const guess = async (n: number, remoteAddress: string) => {
      const payload = { oldPassword: 'd'.repeat(64), newPassword: OTHER_PASSWORD };
      const headers = sessions[n % sessions.length]!;
      const url = '/admin/profile/password';
      return (await app.inject({ method: 'PUT', url, headers, payload, remoteAddress })).json().code;
    };
    for (let n = 0; n < 5; n += 1) expect(await guess(n, '192.0.2.201')).toBe('OLD_PASSWORD_WRONG');
    expect(await guess(5, '192.0.2.201')).toBe('LOGIN_LOCKED');
    for (let n = 5; n < 20; n += 1) expect(await guess(n, `192.0.2.${200 + n}`)).toBe('OLD_PASSWORD_WRONG');
    expect(await guess(20, '192.0.2.240')).toBe('LOGIN_LOCKED');
  });

  it('USR-2 exactly one of five parallel self-service changes takes effect', async () => {
    const passwords = Array.from({ length: 5 }, (_, i) => String(i).repeat(64));
    const answers = await Promise.all(
      passwords.map((newPassword) =>
        target.call('PUT', '/admin/profile/password', { oldPassword: PASSWORD, newPassword }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
    const winner = passwords[answers.findIndex(({ statusCode }) => statusCode === 204)]!;
    const works = await Promise.all(
      passwords.map(
        async (password) => (await signIn(app, { username: target.username, password, terminal: 'web' })).statusCode,
      ),
    );
    expect(works.map((status, i) => status === 200 && passwords[i])).toEqual(
      passwords.map((each) => each === winner && each),
    );
  });

  describe('with a session store that fails', () => {
    /** A node whose session store the test controls. */
    async function faultyNode() {
      const config = bench.config(roomy);
      const resources = bench.resources(config);
      const { sessions } = resources.stores;
      const fault = { beforeWrite: async () => {}, afterWrite: async () => {} };
      const stores = {
        ...resources.stores,
        sessions: {
          ...sessions,
          compareAndSet: async (...entry: Parameters<typeof sessions.compareAndSet>) => {
            // The counters of the login policy stay as they are.
            if (!entry[0].includes('session:')) return sessions.compareAndSet(...entry);
            await fault.beforeWrite();
            const written = await sessions.compareAndSet(...entry);
            await fault.afterWrite();
            return written;
          },
        },
      };
      return { node: await bench.appOn(config, { ...resources, stores }), fault };
    }

    const changes = () =>
      [
        [target, 'PUT', '/admin/profile/password', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD }],
        [admin, 'PUT', `${path()}/password`, { password: OTHER_PASSWORD }],
        [admin, 'PUT', path(), { disabled: true }],
        [admin, 'DELETE', path(), undefined],
      ] as const;

    it('TOK-6 TOK-11 if the sessions cannot be ended the change is refused with 503 and nothing changes', async () => {
      const { node, fault } = await faultyNode();
      fault.beforeWrite = async () => {
        throw new Error('away');
      };
      for (const [{ headers }, method, url, payload] of changes()) {
        const refused = await node.inject({ method, url, headers, ...(payload && { payload }) });
        expect(refused.json()).toMatchObject({ status: 503, code: 'SESSION_STORE_UNAVAILABLE' });
      }
      expect(await onBoth(target.headers)).toEqual(['200']);
      await token(app, target.username);
    });

    it('TOK-6 a session that begins with the old password during the change is ended as well', async () => {
      const { node, fault } = await faultyNode();
      for (const [{ headers }, method, url, payload] of changes().slice(0, 3)) {
        target = await actor(app, admin, []);
        const own = headers === admin.headers ? headers : target.headers;
        const between: Actor['headers'][] = [];
        // The first write ends the existing sessions; then comes the change.
        fault.afterWrite = async () => {
          fault.afterWrite = async () => {};
          between.push(await token(app, target.username));
          expect(await onBoth(between[0]!)).toEqual(['200']);
        };
        const place = url.replace(/[0-9a-f-]{36}/, target.id);
        const changed = await node.inject({ method, url: place, headers: own, ...(payload && { payload }) });
        expect([200, 204]).toContain(changed.statusCode);
        expect(await onBoth(between[0]!)).toEqual([expect.stringMatching(/^401 (PASSWORD_CHANGED|ACCOUNT_DISABLED)$/)]);
      }
    });

    it('TOK-6 a refused change ends no session, although sessions are ended first', async () => {
      const superior = await actor(app, admin, ['*']);
      const clerk = await actor(app, admin, ['api:admin:administrators:*']);
      const url = `/admin/administrators/${superior.id}`;
      expect((await clerk.call('PUT', url, { disabled: true })).statusCode).toBe(403);
      expect((await clerk.call('DELETE', url)).statusCode).toBe(403);
      expect((await admin.call('PUT', path(), { disabled: true, version: 99 })).statusCode).toBe(409);
      expect(await onBoth(superior.headers)).toEqual(['200']);
      expect(await onBoth(target.headers)).toEqual(['200']);
    });
  });
});
