import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { closeApps, createTestApp } from '../test-app.js';
import { startOwnRedis } from './own-redis.js';

afterEach(closeApps);

const unavailable = { code: 'SESSION_STORE_UNAVAILABLE', statusCode: 503 };

describe.skipIf(lacks('redis'))('a Redis that fails', () => {
  async function onOwnRedis() {
    const redis = await startOwnRedis();
    const store = createRedisStore({ client: redis.client, keyPrefix: 't:', timeoutMillis: 500 });
    return { redis, server: await createTestApp({ store, ticketPurposes: ['download'] }) };
  }

  it('TOK-11 AT-11 with an unreachable store every token is 503, never let through and never 401', async () => {
    const { redis, server } = await onOwnRedis();
    const { app, code, signIn } = server;
    const token = await signIn();
    expect(await code('/admin', token)).toBe('200');
    await redis.stop();
    const began = Date.now();
    expect(await code('/admin', token)).toBe('503 SESSION_STORE_UNAVAILABLE');
    expect(await code('/nowhere', token)).toBe('503 SESSION_STORE_UNAVAILABLE');
    expect(Date.now() - began).toBeLessThan(9000);
    const { authTokens } = app;
    await expect(signIn()).rejects.toMatchObject(unavailable);
    await expect(authTokens.revokeAll({ subject: 'u-1', audience: 'admin' })).rejects.toMatchObject(unavailable);
    // The check of the token itself needs no store, and public routes need no token.
    expect([await code('/admin'), await code('/admin', 'x'), await code('/public')]).toEqual([
      '401 TOKEN_MISSING',
      '401 TOKEN_INVALID',
      '200',
    ]);
  });

  it('AT-12 after FLUSHALL every session is 401, and a new sign-in works', async () => {
    const { redis, server } = await onOwnRedis();
    const { code, signIn } = server;
    const tokens = await Promise.all([signIn('u-1'), signIn('u-2'), signIn('u-1')]);
    await redis.client.flushall();
    expect(await Promise.all(tokens.map((token) => code('/admin', token)))).toEqual(
      tokens.map(() => '401 SESSION_EXPIRED'),
    );
    expect(await code('/admin', await signIn('u-1'))).toBe('200');
    expect(await code('/admin', tokens[0])).toBe('401 SESSION_EXPIRED');
  });
});

describe('a store that fails', () => {
  async function withStore(broken: Partial<TtlStore>) {
    const memory = createMemoryStore();
    const whole = await createTestApp({ store: memory, ticketPurposes: ['download'] });
    const token = await whole.signIn();
    const principal = await whole.app.authTokens.check(token);
    const store = { ...memory, ...broken };
    const { app, code } = await createTestApp({ store, ticketPurposes: ['download'] }, {}, whole.clock);
    return { whole, token, principal, code, clock: whole.clock, authTokens: app.authTokens };
  }
  const away = () => Promise.reject(new Error('ECONNREFUSED 10.0.0.7:6379'));

  it('TOK-11 any failed read is 503, without details for the client', async () => {
    const { code, token, authTokens, principal } = await withStore({ get: away });
    expect(await code('/admin', token)).toBe('503 SESSION_STORE_UNAVAILABLE');
    await expect(authTokens.check(token)).rejects.toThrow('Sessions cannot be checked at the moment');
    await expect(authTokens.revoke(principal.sessionId)).rejects.toMatchObject(unavailable);
    await expect(authTokens.sessions(principal)).rejects.toMatchObject(unavailable);
  });

  it('TOK-11 any failed write is 503', async () => {
    const { clock, code, token, authTokens, principal } = await withStore({
      compareAndSet: away,
      changeAll: away,
      setIfAbsent: away,
      take: away,
    });
    expect(await code('/admin', token)).toBe('200');
    clock.advance(61);
    expect(await code('/admin', token)).toBe('503 SESSION_STORE_UNAVAILABLE');
    await expect(authTokens.issue({ subject: 'u-1', audience: 'admin' })).rejects.toMatchObject(unavailable);
    await expect(authTokens.revoke(principal.sessionId)).rejects.toMatchObject(unavailable);
    const use = { purpose: 'download', resource: 'x' };
    await expect(authTokens.issueTicket({ ...use, principal })).rejects.toMatchObject(unavailable);
    await expect(authTokens.redeemTicket({ ...use, ticket: 'A'.repeat(43) })).rejects.toMatchObject(unavailable);
  });

  it('TOK-11 a write that loses every race is 503 after a bounded number of rounds', async () => {
    let rounds = 0;
    const { authTokens } = await withStore({
      compareAndSet: async () => {
        rounds += 1;
        return false;
      },
    });
    await expect(authTokens.issue({ subject: 'u-1', audience: 'admin' })).rejects.toMatchObject(unavailable);
    expect(rounds).toBeLessThan(1000);
  });

  it('TOK-11 an unreadable record is 503, and is not replaced', async () => {
    for (const text of ['', 'null', '{}', '[]', '{"version":2,"live":[],"ended":[]}', '{"version":1}']) {
      const { code, token, authTokens } = await withStore({ get: async () => text });
      expect([text, await code('/admin', token)]).toEqual([text, '503 SESSION_STORE_UNAVAILABLE']);
      await expect(authTokens.issue({ subject: 'u-1', audience: 'admin' })).rejects.toMatchObject(unavailable);
    }
  });

  it('TOK-11 a failed logout can be repeated when the store is back', async () => {
    const { whole, token, principal } = await withStore({});
    const broken = await createTestApp({ store: { ...whole.store, compareAndSet: away } }, {}, whole.clock);
    const headers = { authorization: `Bearer ${token}` };
    expect((await broken.app.inject({ method: 'POST', url: '/logout', headers })).statusCode).toBe(503);
    expect(await whole.code('/admin', token)).toBe('200');
    expect(await whole.app.authTokens.revoke(principal.sessionId)).toBe(true);
    expect(await whole.code('/admin', token)).toBe('401 SESSION_REVOKED');
  });
});
