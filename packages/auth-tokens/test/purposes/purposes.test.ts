import { Readable } from 'node:stream';
import { createMemoryStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it } from 'vitest';
import authTokens, { type AuthTokensOptions, isEndedByAll } from '../../src/index.js';
import { closeApps, createTestApp, issuer, openApp, signingKey, storeClockOf, TestClock } from '../test-app.js';

afterEach(closeApps);

const purposes = {
  'second-factor': { lifetimeSeconds: 300, refusal: 'SECOND_FACTOR_REQUIRED' },
  enrolment: { lifetimeSeconds: 300 },
} as const;
const owner = { subject: 'u-1', audience: 'admin' };
const pending = { ...owner, purpose: 'second-factor' };
const REFUSED = '403 SECOND_FACTOR_REQUIRED';

/** A server with a route of every kind, and one that serves the second step. */
async function openServer(options: Partial<AuthTokensOptions> = {}) {
  const clock = new TestClock();
  const app = openApp();
  const store = createMemoryStore({ now: clock.now });
  await app.register(authTokens, {
    ...{ store, issuer, signingKey, purposes, clock: storeClockOf(clock) },
    ...{ allowQueryToken: true, permissions: ['api:read'], loadPermissions: () => ['*'], ticketPurposes: ['download'] },
    ...options,
  });
  const served = { access: 'admin', sessionPurposes: ['second-factor'] } as const;
  app.get('/step', { config: served }, async ({ principal }) => principal);
  app.get('/read', { config: { access: 'admin', permission: 'api:read' } }, async () => 'read');
  app.get('/other', { config: { access: 'app' } }, async () => 'other');
  app.post('/write', { config: { access: ['admin', 'app'] } }, async () => 'written');
  app.get('/stream', { config: { access: 'admin' } }, async () => Readable.from(['sent']));
  app.get('/hijacked', { config: { access: 'admin' } }, async (_request, reply) => {
    reply.hijack().raw.end('taken');
  });
  app.get('/file', { config: { access: 'admin', queryToken: true } }, async () => 'file');
  app.get('/public', { config: { access: 'public' } }, async () => 'open');
  await app.ready();
  const code = async (method: 'GET' | 'POST', url: string, token?: string) => {
    const reply = await app.inject({
      method,
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    return reply.statusCode < 300 ? reply.statusCode : `${reply.statusCode} ${reply.json().code}`;
  };
  return { app, clock, tokens: app.authTokens, code };
}

const routes = [
  ['GET', '/read'],
  ['GET', '/other'],
  ['POST', '/write'],
  ['GET', '/stream'],
  ['GET', '/hijacked'],
  ['GET', '/file'],
  ['GET', '/absent'],
  ['POST', '/absent'],
] as const;

describe('a session with a purpose', () => {
  it('MFA-2: is refused on every kind of route that does not serve its purpose', async () => {
    const { code, tokens, app } = await openServer();
    const { token } = await tokens.issue(pending);
    for (const [method, url] of routes) expect([url, await code(method, url, token)]).toEqual([url, REFUSED]);
    expect(await code('GET', `/file?access_token=${token}`)).toBe(REFUSED);
    expect(await code('GET', '/public', token)).toBe(200);
    expect(await code('GET', '/step', token)).toBe(200);
    const enrolment = await tokens.issue({ ...owner, purpose: 'enrolment' });
    expect(await code('GET', '/step', enrolment.token)).toBe('403 SESSION_PURPOSE_REFUSED');
    const full = await tokens.issue(owner);
    expect(await code('GET', '/step', full.token)).toBe(200);
    expect(await code('GET', '/read', full.token)).toBe(200);
    const refused = await app.inject({ url: '/read', headers: { authorization: `Bearer ${token}` } });
    expect(refused.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
  });

  it('MFA-2: the engine refuses its token too, unless the caller names the purpose', async () => {
    const { tokens, app } = await openServer();
    const { token, sessionId } = await tokens.issue(pending);
    const refusal = { code: 'SECOND_FACTOR_REQUIRED', statusCode: 403 };
    await expect(tokens.check(token)).rejects.toMatchObject(refusal);
    await expect(tokens.recheck(token)).rejects.toMatchObject(refusal);
    await expect(tokens.check(token, ['enrolment'])).rejects.toMatchObject(refusal);
    expect(await tokens.check(token, ['second-factor'])).toEqual({ ...pending, sessionId });
    // A principal that another authentication has set.
    const request = { principal: { ...owner, sessionId }, raw: {}, routeOptions: {}, is404: true } as never;
    await expect(app.authTokens.confirm(request)).rejects.toMatchObject(refusal);
  });

  it('MFA-2: has no ticket, and redeems none', async () => {
    const { tokens } = await openServer();
    const { token, sessionId } = await tokens.issue(pending);
    const principal = await tokens.check(token, ['second-factor']);
    const use = { purpose: 'download', resource: 'file-1' };
    await expect(tokens.issueTicket({ ...use, principal })).rejects.toMatchObject({ code: 'SECOND_FACTOR_REQUIRED' });
    // A copy that leaves the purpose out gets a ticket that is worth nothing.
    const { ticket } = await tokens.issueTicket({ ...use, principal: { ...owner, sessionId } });
    await expect(tokens.redeemTicket({ ...use, ticket })).rejects.toMatchObject({ code: 'TICKET_INVALID' });
  });

  it('MFA-3: a proof that was withdrawn counts neither in a ticket nor in a request that is confirmed', async () => {
    const { app, tokens } = await openServer();
    const { sessionId, token } = await tokens.issue({ ...owner, proof: { method: 'factor' } });
    const principal = await tokens.check(token);
    expect(principal.proof?.method).toBe('factor');
    const use = { purpose: 'download', resource: 'file-1' };
    const { ticket } = await tokens.issueTicket({ ...use, principal: { ...principal, tenant: 't' } as never });
    await tokens.prove(sessionId, null);
    const redeemed = await tokens.redeemTicket({ ...use, ticket });
    expect(redeemed).toEqual({ ...owner, sessionId, tenant: 't' });
    expect(isEndedByAll(redeemed, { at: 0 })).toBe(false);
    const request = { principal: { ...principal, tenant: 't' }, raw: {}, routeOptions: {}, is404: true };
    await app.authTokens.confirm(request as never);
    expect(request.principal).toEqual({ ...owner, sessionId, tenant: 't' });
  });

  it('OPS-10: the lifetimes are asked for once for a page of sessions', async () => {
    let asked = 0;
    const lifetime = { idleSeconds: 600, absoluteSeconds: 6000 };
    const { tokens } = await openServer({
      lifetimes() {
        asked += 1;
        return { admin: lifetime, app: lifetime };
      },
    });
    for (let session = 0; session < 5; session += 1) await tokens.issue({ ...owner, subject: `u-${session}` });
    for (const query of [{}, { owners: [owner, { ...owner, subject: 'u-2' }, { ...owner, subject: 'u-3' }] }]) {
      asked = 0;
      expect((await tokens.findSessions(query)).sessions.length).toBeGreaterThan(2);
      expect(asked).toBe(1);
    }
  });

  it('MFA-2: lives as long as its purpose says, used or not, whatever the audience says', async () => {
    const lifetimes = () => ({
      admin: { idleSeconds: 60, absoluteSeconds: 60 },
      app: { idleSeconds: 60, absoluteSeconds: 60 },
    });
    const { code, clock, tokens } = await openServer({ lifetimes });
    const { token, expiresAt } = await tokens.issue(pending);
    expect(expiresAt - clock.millis).toBe(300_000);
    const idle = await tokens.issue(pending);
    for (let minute = 0; minute < 4; minute += 1) {
      clock.advance(60);
      expect(await code('GET', '/step', token)).toBe(200);
    }
    clock.advance(59);
    expect([await code('GET', '/step', token), await code('GET', '/step', idle.token)]).toEqual([200, 200]);
    clock.advance(1);
    expect(await code('GET', '/step', token)).toBe('401 SESSION_EXPIRED');
    expect(await tokens.sessions(owner)).toEqual([]);
  });

  it('MFA-2: is named in lists, and an undeclared purpose is an error of the program', async () => {
    const { tokens } = await openServer();
    await tokens.issue({ ...pending, proof: { method: 'password' } });
    expect(await tokens.sessions(owner)).toMatchObject([{ purpose: 'second-factor', proof: { method: 'password' } }]);
    expect((await tokens.findSessions()).sessions).toMatchObject([{ purpose: 'second-factor' }]);
    await expect(tokens.issue({ ...owner, purpose: 'toString' })).rejects.toThrow(TypeError);
    await expect(tokens.issue({ ...owner, proof: { method: 'A b' } })).rejects.toThrow(TypeError);
    await expect(tokens.prove('x', '')).rejects.toThrow(TypeError);
  });

  it('MFA-2: a purpose that is no longer declared opens nothing', async () => {
    const clock = new TestClock();
    const store = createMemoryStore({ now: clock.now });
    const before = await createTestApp({ store, purposes }, {}, clock);
    const { token } = await before.app.authTokens.issue(pending);
    const after = await createTestApp({ store }, {}, clock);
    expect(await after.code('/admin', token)).toBe('403 SESSION_PURPOSE_REFUSED');
  });

  it('MFA-2: neither its end nor its expiry displaces what clients of full sessions are told', async () => {
    const { code, clock, tokens } = await openServer();
    const full = await tokens.issue(owner);
    await tokens.revoke(full.sessionId);
    for (let n = 0; n < 100; n += 1) await tokens.issue({ ...pending, clientIp: '192.0.2.1' });
    clock.advance(301);
    for (let n = 0; n < 100; n += 1) await tokens.issue({ ...pending, clientIp: '192.0.2.1' });
    expect(await code('GET', '/read', full.token)).toBe('401 SESSION_REVOKED');
  });
});

describe('the setup of purposes', () => {
  it('MFA-2: faults of the option are named', async () => {
    const faulty = {
      A: { lifetimeSeconds: 300 },
      b: { lifetimeSeconds: 59 },
      c: { lifetimeSeconds: 60, refusal: 'x', y: 1 },
    };
    await expect(createTestApp({ purposes: faulty as never })).rejects.toMatchObject({
      faults: [
        'purposes.A is not a name: 1 to 32 of a-z 0-9 -, a letter first',
        'purposes.b.lifetimeSeconds must be a whole number of seconds from 60 to 3600',
        'purposes.c.refusal must be a code such as SECOND_FACTOR_REQUIRED',
        'purposes.c.y is not known',
      ],
    });
  });

  it('MFA-2: a route that names an undeclared purpose, or is public, stops the start', async () => {
    const configs = [
      { access: 'admin', sessionPurposes: ['second-facto'] },
      { access: 'admin', sessionPurposes: 'second-factor' },
      { access: 'public', sessionPurposes: ['second-factor'] },
    ];
    for (const config of configs) {
      const app = openApp();
      await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey, purposes });
      app.get('/x', { config: config as never }, async () => 'x');
      await expect(app.ready()).rejects.toMatchObject({ code: 'AUTH_TOKENS_SETUP_INVALID' });
    }
  });
});
