import type { TtlStore } from '@sallyport/ttl-store';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { type OpenedStore, stores } from '../../../../scripts/test-stores.js';
import { END_REASONS, type EndReason, type Lifetimes } from '../../src/index.js';
import { closeApps, createTestApp, storeClockOf, TestClock } from '../test-app.js';

afterEach(closeApps);

describe.each(stores)('sessions in a store in %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('of two nodes', () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    let keys = 0;
    /** Two nodes on one store, and a subject that no other test uses. */
    async function twoNodes() {
      const clock = new TestClock();
      const [one, other] = await Promise.all(opened.nodes.map((store) => createTestApp({ store }, {}, clock)));
      keys += 1;
      if (one === undefined || other === undefined) throw new Error('no nodes');
      return { clock, one, other, subject: `u-${keys}` };
    }

    it('TOK-3 AT-07 logout ends the session at once on both nodes', async () => {
      const { one, other, subject } = await twoNodes();
      const token = await one.signIn(subject);
      const bystander = await other.signIn(subject);
      expect([await one.code('/admin', token), await other.code('/admin', token)]).toEqual(['200', '200']);

      const headers = { authorization: `Bearer ${token}` };
      const logout = await other.app.inject({ method: 'POST', url: '/logout', headers });
      expect(logout.statusCode).toBe(204);
      expect([await one.code('/admin', token), await other.code('/admin', token)]).toEqual([
        '401 SESSION_REVOKED',
        '401 SESSION_REVOKED',
      ]);
      expect(await one.code('/admin', bystander)).toBe('200');
    });

    it('TOK-3 AT-26 a logout without a token, with a broken one or a second time is 401 and ends nothing', async () => {
      const { one, subject } = await twoNodes();
      const [token, bystander] = [await one.signIn(subject), await one.signIn(subject)];
      const logout = async (authorization?: string) => {
        const headers = authorization === undefined ? {} : { authorization };
        const reply = await one.app.inject({ method: 'POST', url: '/logout', headers });
        return reply.statusCode === 204 ? '204' : `${reply.statusCode} ${reply.json().code}`;
      };
      expect(await logout()).toBe('401 TOKEN_MISSING');
      expect(await logout(`Bearer ${token.slice(0, -3)}`)).toBe('401 TOKEN_INVALID');
      expect(await logout(`Bearer ${token}`)).toBe('204');
      expect(await logout(`Bearer ${token}`)).toBe('401 SESSION_REVOKED');
      expect(await one.code('/admin', bystander)).toBe('200');
    });

    it('AT-08 after a hundred requests no cache outlives the logout', async () => {
      const { one, other, subject } = await twoNodes();
      const token = await one.signIn(subject);
      const warm = await Promise.all(Array.from({ length: 100 }, () => one.code('/admin', token)));
      expect(new Set(warm)).toEqual(new Set(['200']));
      await other.app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${token}` } });
      expect(await one.code('/admin', token)).toBe('401 SESSION_REVOKED');
    });

    it('TOK-3 AT-07 no request that begins after a logout gets through, with forty others in flight', async () => {
      const { clock, one, other, subject } = await twoNodes();
      const token = await one.signIn(subject);
      // From here on every request also writes its activity, and competes with the logout.
      clock.advance(120);
      const during = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).code('/admin', token));
      const logout = one.app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${token}` } });
      expect((await logout).statusCode).toBe(204);
      expect(await other.code('/admin', token)).toBe('401 SESSION_REVOKED');
      expect(['200', '401 SESSION_REVOKED']).toEqual(expect.arrayContaining([...new Set(await Promise.all(during))]));
      expect(await one.code('/admin', token)).toBe('401 SESSION_REVOKED');
      expect(await one.app.authTokens.sessions({ audience: 'admin', subject })).toEqual([]);
    });

    it('TOK-6 TOK-7 all sessions of a subject end at once, and each client learns why', async () => {
      const { one, other, subject } = await twoNodes();
      const owner = { subject, audience: 'admin' };
      for (const reason of END_REASONS) {
        const tokens = await Promise.all([one.signIn(subject), other.signIn(subject), one.signIn(subject)]);
        const inApp = await one.signIn(subject, 'app');
        const someoneElse = await one.signIn(`${subject}-other`);
        expect(await other.app.authTokens.revokeAll(owner, reason)).toBe(3);
        expect(await Promise.all(tokens.map((token) => one.code('/admin', token)))).toEqual(
          tokens.map(() => `401 ${reason}`),
        );
        expect([await one.code('/app', inApp), await one.code('/admin', someoneElse)]).toEqual(['200', '200']);
        expect(await other.app.authTokens.revokeAll(owner, reason)).toBe(0);
      }
      expect(await one.code('/admin', await one.signIn(subject))).toBe('200');
    });

    it('TOK-6 each sign-in that runs in parallel with the end of all sessions is ended or comes after it', async () => {
      const { one, other, subject } = await twoNodes();
      const owner = { subject, audience: 'admin' };
      const [ended, ...tokens] = await Promise.all([
        other.app.authTokens.revokeAll(owner, 'PASSWORD_CHANGED'),
        ...Array.from({ length: 15 }, (_, n) => (n % 2 === 0 ? one : other).signIn(subject)),
      ]);
      const codes = await Promise.all(tokens.map((token) => one.code('/admin', token)));
      expect(codes.filter((code) => code === '401 PASSWORD_CHANGED')).toHaveLength(ended);
      expect(codes.filter((code) => code === '200')).toHaveLength(15 - ended);
      expect(await one.app.authTokens.sessions(owner)).toHaveLength(15 - ended);
    });

    it('TOK-7 sessions are listed, and each can be ended by its id', async () => {
      const { clock, one, other, subject } = await twoNodes();
      const owner = { subject, audience: 'admin' };
      const client = { terminal: 'web', clientIp: '198.51.100.7', userAgent: `Browser\u0000\r\n${'x'.repeat(500)}` };
      const first = await one.app.authTokens.issue({ ...owner, ...client });
      clock.advance(5);
      const second = await one.app.authTokens.issue({ ...owner, terminal: 'tablet' });

      const listed = await other.app.authTokens.sessions(owner);
      expect(listed.map((session) => session.sessionId)).toEqual([second.sessionId, first.sessionId]);
      expect(listed[1]).toEqual({
        ...owner,
        sessionId: first.sessionId,
        terminal: 'web',
        clientIp: '198.51.100.7',
        userAgent: `Browser${'x'.repeat(190)}`,
        issuedAt: clock.now() - 5000,
        lastSeenAt: clock.now() - 5000,
        expiresAt: first.expiresAt,
      });
      expect(JSON.stringify(listed)).not.toContain(first.token);

      expect(await other.app.authTokens.revoke(first.sessionId)).toBe(true);
      expect(await one.app.authTokens.revoke(first.sessionId)).toBe(false);
      expect([await one.code('/admin', first.token), await one.code('/admin', second.token)]).toEqual([
        '401 SESSION_REVOKED',
        '200',
      ]);
      expect((await one.app.authTokens.sessions(owner)).map((session) => session.sessionId)).toEqual([
        second.sessionId,
      ]);
    });

    it('TOK-7 of fifty parallel attempts to end one session, one ends it', async () => {
      const { one, other, subject } = await twoNodes();
      const { sessionId } = await one.app.authTokens.issue({ subject, audience: 'admin' });
      const attempts = Array.from({ length: 50 }, (_, n) =>
        (n % 2 === 0 ? one : other).app.authTokens.revoke(sessionId),
      );
      expect((await Promise.all(attempts)).filter((ended) => ended)).toHaveLength(1);
    });

    it('TOK-7 a sign-in above the maximum ends the session that was seen least recently', async () => {
      const { clock, subject } = await twoNodes();
      const { signIn, code, app } = await createTestApp(
        { store: opened.nodes[0], maxSessionsPerSubject: 3 },
        {},
        clock,
      );
      const tokens: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        tokens.push(await signIn(subject));
        clock.advance(100);
      }
      expect(await code('/admin', tokens[0])).toBe('200');
      tokens.push(await signIn(subject));
      expect(await Promise.all(tokens.map((token) => code('/admin', token)))).toEqual([
        '200',
        '401 SESSION_SUPERSEDED',
        '200',
        '200',
      ]);
      const parallel = await Promise.all(Array.from({ length: 20 }, () => signIn(subject)));
      expect(new Set(parallel).size).toBe(20);
      expect(await app.authTokens.sessions({ subject, audience: 'admin' })).toHaveLength(3);
    });

    it('TOK-5 an idle session expires for good, after 30 minutes for admin and 7 days for app', async () => {
      const { clock, one, other, subject } = await twoNodes();
      const [admin, app] = [await one.signIn(subject), await one.signIn(subject, 'app')];
      clock.advance(30 * 60 - 1);
      expect(await other.code('/admin', admin)).toBe('200');
      clock.advance(30 * 60);
      expect(await one.code('/admin', admin)).toBe('401 SESSION_EXPIRED');
      expect(await other.code('/admin', admin)).toBe('401 SESSION_EXPIRED');
      clock.advance(7 * 86_400 - 3600);
      expect(await one.code('/app', app)).toBe('200');
      clock.advance(7 * 86_400);
      expect(await one.code('/app', app)).toBe('401 SESSION_EXPIRED');
    });

    it('TOK-5 the absolute lifetime ends a busy session: 12 hours for admin, 30 days for app', async () => {
      const { clock, one, subject } = await twoNodes();
      const admin = await one.signIn(subject);
      for (let minutes = 20; minutes < 720; minutes += 20) {
        clock.advance(20 * 60);
        expect(await one.code('/admin', admin)).toBe('200');
      }
      clock.advance(20 * 60 - 1);
      expect(await one.code('/admin', admin)).toBe('200');
      clock.advance(1);
      expect(await one.code('/admin', admin)).toBe('401 SESSION_EXPIRED');

      const app = await one.signIn(subject, 'app');
      for (let days = 1; days < 30; days += 1) {
        clock.advance(86_400);
        expect(await one.code('/app', app)).toBe('200');
      }
      clock.advance(86_400);
      expect(await one.code('/app', app)).toBe('401 SESSION_EXPIRED');
    });

    it('TOK-10 of fifty parallel attempts with one ticket, one succeeds', async () => {
      const clock = new TestClock();
      const nodes = await Promise.all(
        opened.nodes.map((store) => createTestApp({ store, ticketPurposes: ['download'] }, {}, clock)),
      );
      const [one] = nodes;
      if (one === undefined) throw new Error('no nodes');
      keys += 1;
      const { token } = await one.app.authTokens.issue({ subject: `u-${keys}`, audience: 'admin' });
      const principal = await one.app.authTokens.check(token);
      const use = { purpose: 'download', resource: 'file-1' };
      const { ticket } = await one.app.authTokens.issueTicket({ ...use, principal });
      const attempts = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => nodes[n % 2]?.app.authTokens.redeemTicket({ ...use, ticket })),
      );
      const succeeded = attempts.filter(({ status }) => status === 'fulfilled');
      expect(succeeded).toEqual([{ status: 'fulfilled', value: principal }]);
      const refusals = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason.code] : []));
      expect(new Set(refusals)).toEqual(new Set(['TICKET_INVALID']));
    });
  });
});

describe('sessions', () => {
  it('TOK-7 a reason is kept through later events, until the end of the token', async () => {
    const { clock, app, signIn, code } = await createTestApp();
    const owner = { subject: 'u-1', audience: 'admin' };
    const endWith = async (reason: EndReason) => {
      const { token, sessionId } = await app.authTokens.issue(owner);
      await app.authTokens.revoke(sessionId, reason);
      return token;
    };
    const disabled = await endWith('ACCOUNT_DISABLED');
    const revoked = await endWith('SESSION_REVOKED');
    const changed = await signIn();
    await app.authTokens.revokeAll(owner, 'PASSWORD_CHANGED');
    clock.advance(12 * 3600 - 1);
    expect([await code('/admin', disabled), await code('/admin', revoked), await code('/admin', changed)]).toEqual([
      '401 ACCOUNT_DISABLED',
      '401 SESSION_REVOKED',
      '401 PASSWORD_CHANGED',
    ]);
    clock.advance(1);
    expect(await code('/admin', disabled)).toBe('401 SESSION_EXPIRED');
  });

  it('TOK-7 a text that is not one of our session ids ends nothing', async () => {
    const { app, signIn, code } = await createTestApp();
    const token = await signIn('u-10');
    const { sessionId } = await app.authTokens.check(token);
    const [jti, owner = ''] = sessionId.split('.');
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const wrong = [
      '',
      jti,
      `${jti}.`,
      `${jti}.${encode('root:u-1')}`,
      `${jti}.${encode('app:u-1')}`,
      `${jti}.${encode('admin:u-2')}`,
      `${jti}.${encode('admin')}`,
      `${jti}.${encode('toString:u-1')}`,
      `${jti}.${owner}=`,
      // The same bytes with a spare bit set.
      `${jti}.${owner.slice(0, -1)}${String.fromCharCode(owner.charCodeAt(owner.length - 1) + 1)}`,
      `${'A'.repeat(24)}.${owner}`,
      token,
      `${sessionId}\n`,
    ];
    expect(await Promise.all(wrong.map((id) => app.authTokens.revoke(id ?? '')))).toEqual(wrong.map(() => false));
    expect(await code('/admin', token)).toBe('200');
  });

  it('TOK-2 subjects in every script, and with separators, have their own sessions', async () => {
    const { app, signIn, code } = await createTestApp();
    const subjects = ['a:b', 'a', ':', '%3A', '管理员', '{a}', '../x', '__proto__', 'a b', 'x'.repeat(200)];
    const tokens = await Promise.all(subjects.map((subject) => signIn(subject)));
    for (const [index, subject] of subjects.entries()) {
      expect((await app.authTokens.check(tokens[index] ?? '')).subject).toBe(subject);
      expect(await app.authTokens.revokeAll({ subject, audience: 'admin' })).toBe(1);
      const alive = await Promise.all(tokens.map((token) => code('/admin', token)));
      expect(alive.filter((one) => one === '200')).toHaveLength(subjects.length - index - 1);
    }
    for (const subject of ['', '\0', '\ud800', 'x'.repeat(201)]) {
      await expect(signIn(subject)).rejects.toThrow(TypeError);
    }
    await expect(signIn('u-1', 'root')).rejects.toThrow('audience must be one of admin, app');
  });

  it.each([
    ['at once', <Value>(value: Value) => value],
    ['later', async <Value>(value: Value) => value],
    // biome-ignore lint/suspicious/noThenProperty: query builders such as drizzle's are thenables
    ['as a thenable', <Value>(value: Value) => ({ then: (use: (value: Value) => void) => use(value) })],
  ])('TOK-5 lifetimes that a function returns %s take effect on the next request', async (_how, give) => {
    const parameters = { idle: 600, absolute: 3600 };
    const lifetimes = () =>
      give({
        admin: { idleSeconds: parameters.idle, absoluteSeconds: parameters.absolute },
        app: { idleSeconds: 60, absoluteSeconds: 60 },
      }) as Lifetimes;
    const { clock, signIn, code } = await createTestApp({ lifetimes });
    const [idle, absolute] = [await signIn('u-1'), await signIn('u-2')];
    clock.advance(300);
    expect(await code('/admin', idle)).toBe('200');
    parameters.idle = 200;
    clock.advance(200);
    expect(await code('/admin', idle)).toBe('401 SESSION_EXPIRED');
    parameters.idle = 100_000;
    // A recorded expiry is final.
    expect(await code('/admin', idle)).toBe('401 SESSION_EXPIRED');
    expect(await code('/admin', absolute)).toBe('200');
    parameters.absolute = 500;
    expect(await code('/admin', absolute)).toBe('401 SESSION_EXPIRED');
    parameters.absolute = 7200;
    expect(await code('/admin', absolute)).toBe('401 SESSION_EXPIRED');
  });

  it('TOK-5 TOK-12 AT-24 a lifetime that can’t be read or isn’t a whole number of seconds is 503', async () => {
    const lifetime = { idleSeconds: 600, absoluteSeconds: 3600 };
    let lifetimes: () => unknown = () => ({ admin: lifetime });
    const { app, signIn, code } = await createTestApp({ lifetimes: () => lifetimes() as Lifetimes });
    const token = await signIn();
    const wrongSeconds = ['1 month', '600', 0, 1, 59, -1, 60.5, Number.NaN, null, undefined, 1e12, () => 600];
    const wrong = [
      ...wrongSeconds.map((idleSeconds) => ({ admin: { ...lifetime, idleSeconds } })),
      ...wrongSeconds.map((absoluteSeconds) => ({ admin: { ...lifetime, absoluteSeconds } })),
      ...[undefined, null, 600, 'admin', {}, [], { app: lifetime }, { admin: null }, { admin: 600 }, { admin: {} }],
    ];
    for (const value of wrong) {
      for (const how of [() => value, async () => value]) {
        lifetimes = how;
        expect(await code('/admin', token)).toBe('503 SESSION_LIFETIME_UNAVAILABLE');
        await expect(signIn()).rejects.toMatchObject({ code: 'SESSION_LIFETIME_UNAVAILABLE' });
      }
    }
    const away = new Error('parameters away');
    const failing = [
      () => {
        throw away;
      },
      () => Promise.reject(away),
    ];
    for (const how of failing) {
      lifetimes = how;
      expect(await code('/admin', token)).toBe('503 SESSION_LIFETIME_UNAVAILABLE');
      await expect(app.authTokens.check(token)).rejects.toMatchObject({ cause: away });
    }
    // Ending sessions needs no lifetime: a password change must not depend on parameters.
    expect(await app.authTokens.revokeAll({ subject: 'u-1', audience: 'admin' })).toBe(1);
  });

  it('TOK-5 PRF-3 each check asks for the lifetimes once, and a request without a token never', async () => {
    const lifetime = { idleSeconds: 600, absoluteSeconds: 3600 };
    const lifetimes = vi.fn(() => ({ admin: lifetime, app: lifetime }));
    const { clock, signIn, code } = await createTestApp({ lifetimes });
    const token = await signIn();
    lifetimes.mockClear();
    for (let checks = 1; checks <= 3; checks += 1) {
      // From the second check on, activity is written too.
      expect(await code('/admin', token)).toBe('200');
      expect(lifetimes).toHaveBeenCalledTimes(checks);
      clock.advance(61);
    }
    expect([await code('/admin'), await code('/public', token)]).toEqual(['401 TOKEN_MISSING', '200']);
    expect(lifetimes).toHaveBeenCalledTimes(3);
  });

  it('TOK-5 a bad lifetime of one audience doesn’t affect the sessions of another', async () => {
    let app = { idleSeconds: 600, absoluteSeconds: 3600 };
    const { signIn, code } = await createTestApp({
      lifetimes: () => ({ admin: { idleSeconds: 600, absoluteSeconds: 3600 }, app }),
    });
    const [admin, other] = [await signIn('u-1', 'admin'), await signIn('u-1', 'app')];
    app = { idleSeconds: 0, absoluteSeconds: 3600 };
    expect([await code('/admin', admin), await code('/app', other)]).toEqual([
      '200',
      '503 SESSION_LIFETIME_UNAVAILABLE',
    ]);
  });

  it('TOK-6 a sign-in during a password change gets no session', async () => {
    const { app } = await createTestApp();
    const owner = { subject: 'u-1', audience: 'admin' };
    const stale = app.authTokens.issue({ ...owner, confirm: async () => false });
    await expect(stale).rejects.toMatchObject({ code: 'SESSION_REVOKED', statusCode: 401 });
    const failing = app.authTokens.issue({ ...owner, confirm: () => Promise.reject(new Error('database away')) });
    await expect(failing).rejects.toThrow('database away');
    expect(await app.authTokens.sessions(owner)).toEqual([]);
    const { token } = await app.authTokens.issue({ ...owner, confirm: () => true });
    expect(await app.authTokens.check(token)).toMatchObject(owner);
  });

  it('TOK-3 a session that ends between the read and the write of its activity is refused', async () => {
    const { clock, store, app, signIn } = await createTestApp();
    const token = await signIn();
    const { sessionId } = await app.authTokens.check(token);
    let reads = 0;
    const racing: TtlStore = {
      ...store,
      get: async (key) => {
        const text = await store.get(key);
        reads += 1;
        if (reads === 1) await app.authTokens.revoke(sessionId, 'ACCOUNT_DISABLED');
        return text;
      },
    };
    const node = await createTestApp({ store: racing }, {}, clock);
    clock.advance(61);
    expect(await node.code('/admin', token)).toBe('401 ACCOUNT_DISABLED');
    expect(await app.authTokens.sessions({ subject: 'u-1', audience: 'admin' })).toEqual([]);
  });

  it('TOK-7 a client learns the reason from a node with a slow clock, and an unknown one is a revocation', async () => {
    const { clock, store, app, signIn, code } = await createTestApp();
    const token = await signIn();
    const owner = { subject: 'u-1', audience: 'admin' };
    const behind = storeClockOf(clock, () => clock.now() - 200_000);
    const node = await createTestApp({ store, clock: behind });
    expect(await node.code('/admin', token)).toBe('200');
    await node.app.authTokens.revokeAll(owner, 'PASSWORD_CHANGED');
    expect(await code('/admin', token)).toBe('401 PASSWORD_CHANGED');

    const { token: other, sessionId } = await app.authTokens.issue(owner);
    await app.authTokens.revoke(sessionId);
    const newer: TtlStore = {
      ...store,
      get: async (key) => (await store.get(key))?.replaceAll('SESSION_REVOKED', 'MOON_FULL') ?? null,
    };
    const old = await createTestApp({ store: newer }, {}, clock);
    expect(await old.code('/admin', other)).toBe('401 SESSION_REVOKED');
    await expect(app.authTokens.revoke(sessionId, 'MOON_FULL' as EndReason)).rejects.toThrow(TypeError);
    await expect(app.authTokens.revokeAll(owner, 'MOON_FULL' as EndReason)).rejects.toThrow(TypeError);
  });

  it('TOK-2 a request reads the store once, and writes at most once a minute', async () => {
    const { clock, store, signIn, code } = await createTestApp();
    const calls: string[] = [];
    const counted = new Proxy(store, {
      get: (target, verb: keyof typeof store) =>
        typeof target[verb] === 'function'
          ? (...given: never[]) => {
              calls.push(verb);
              return (target[verb] as (...given: never[]) => unknown)(...given);
            }
          : target[verb],
    });
    const token = await signIn();
    const node = await createTestApp({ store: counted }, {}, clock);
    await Promise.all([node.code('/admin', token), code('/admin', token)]);
    expect(calls).toEqual(['get']);
    clock.advance(59);
    await node.code('/admin', token);
    expect(calls).toEqual(['get', 'get']);
    clock.advance(1);
    await node.code('/admin', token);
    expect(calls.splice(0)).toEqual(['get', 'get', 'get', 'compareAndSet']);
    // Ending no session writes nothing.
    expect(await node.app.authTokens.revokeAll({ subject: 'nobody', audience: 'admin' })).toBe(0);
    expect(calls).toEqual(['get']);
  });

  it('PRF-3 TOK-2 only a token that is valid by itself causes a read of its session', async () => {
    const { clock, store, app, signIn } = await createTestApp();
    const get = vi.fn(store.get);
    const node = await createTestApp({ store: { ...store, get } }, {}, clock);
    const token = await signIn();
    expect(await node.code('/admin', token)).toBe('200');
    expect(get).toHaveBeenCalledTimes(1);
    await node.get('/public', token);
    await node.code('/admin', `${token.slice(0, -4)}AAAA`);
    await node.code('/admin');
    expect(get).toHaveBeenCalledTimes(1);
    await app.authTokens.revokeAll({ subject: 'u-1', audience: 'admin' });
    expect(await node.code('/admin', token)).toBe('401 SESSION_REVOKED');
    expect(get).toHaveBeenCalledTimes(2);
  });
});
