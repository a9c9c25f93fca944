import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import authTokens, { type AuthTokensOptions } from '../src/index.js';
import { closeApps, issuer, openApp, signingKey } from './test-app.js';

afterEach(closeApps);

const read = 'api:orders:read';

/** Two nodes on one store, with routes that answer the count that came with the session. */
async function openNodes(given: Partial<AuthTokensOptions> = {}, shared: Partial<TtlStore> = {}) {
  const store: TtlStore = { ...createMemoryStore(), ...shared };
  const table = { grants: [read] as readonly string[] };
  const open = async () => {
    const app = openApp();
    await app.register(authTokens, {
      store,
      issuer,
      signingKey,
      permissions: [read],
      loadPermissions: () => table.grants,
      countWithSession: (_request, { subject }) => ({ key: `count:${subject}`, ttlMillis: 60_000 }),
      ...given,
    });
    const answer = async ({ countedWithSession }: FastifyRequest) => ({
      count: countedWithSession === null ? 'none' : ((await countedWithSession.counter)?.value ?? 'changed'),
    });
    app.get('/open', { config: { access: ['admin', 'app'] } }, answer);
    app.get('/orders', { config: { access: 'admin', permission: read } }, answer);
    await app.ready();
    return app;
  };
  const [node, other] = [await open(), await open()] as const;
  const { token, sessionId } = await node.authTokens.issue({ audience: 'admin', subject: 'u-1' });
  const ask = async (url = '/open', app = node) => {
    const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
    return answer.statusCode === 200 ? answer.json().count : answer.json().code;
  };
  const counted = async () => Number((await store.get('count:u-1')) ?? 0);
  return { node, other, store, table, sessionId, ask, counted };
}

describe('a count with the read of the session', () => {
  it('PRF-13 is taken once for each request of a session that the node has opened or seen', async () => {
    const { ask, counted, other } = await openNodes();
    expect([await ask(), await ask()]).toEqual([1, 2]);
    expect([await ask('/open', other), await ask('/open', other)]).toEqual(['none', 3]);
    expect(await counted()).toBe(3);
  });

  it('ORD-1 is not taken for a session that has ended, here or on another node', async () => {
    const { ask, counted, other, sessionId } = await openNodes();
    await ask();
    await other.authTokens.revoke(sessionId);
    expect(await ask()).toBe('SESSION_REVOKED');
    expect(await ask()).toBe('SESSION_REVOKED');
    expect(await counted()).toBe(1);
  });

  it('ORD-1 is not taken for a session that changed on another node, which is served', async () => {
    const { ask, counted, other } = await openNodes();
    await ask();
    await other.authTokens.issue({ audience: 'admin', subject: 'u-1' });
    expect([await ask(), await ask()]).toEqual(['changed', 2]);
    expect(await counted()).toBe(2);
  });

  it('ORD-1 is not taken on a route of another audience, nor for a permission that is not known to be held', async () => {
    const { ask, counted, table, node } = await openNodes();
    // Nothing keeps permissions, so they are loaded.
    expect(await ask('/orders')).toBe('none');
    table.grants = [];
    expect(await ask('/orders')).toBe('PERMISSION_DENIED');
    const app = await node.authTokens.issue({ audience: 'app', subject: 'u-1' });
    const asApp = () => node.inject({ url: '/orders', headers: { authorization: `Bearer ${app.token}` } });
    expect([(await asApp()).statusCode, (await asApp()).statusCode]).toEqual([403, 403]);
    expect(await counted()).toBe(0);
  });

  it('TOK-6 ORD-1 is taken with kept permissions, and not after the announcement of a change', async () => {
    const { ask, counted, table, other } = await openNodes({ permissionChanges: { areSettled: () => true } });
    while ((await ask('/orders')) !== 1);
    table.grants = [];
    await other.authTokens.announcePermissionsChange();
    expect(await ask('/orders')).toBe('PERMISSION_DENIED');
    expect(await ask('/orders')).toBe('PERMISSION_DENIED');
    expect(await counted()).toBe(1);
  });

  it('leaves the count to others where the store has no changeAll, and where the option returns null', async () => {
    const { changeAll: _, ...rest } = createMemoryStore();
    const without = await openNodes({}, { ...rest, changeAll: undefined } as unknown as TtlStore);
    expect([await without.ask(), await without.ask()]).toEqual(['none', 'none']);
    const nothing = await openNodes({ countWithSession: () => null });
    expect([await nothing.ask(), await nothing.ask()]).toEqual(['none', 'none']);
  });

  it('TOK-11 a count that fails rejects for a handler that asks for it, and disturbs nothing else', async () => {
    const { changeAll, ...rest } = createMemoryStore();
    const { node, other, ask, sessionId } = await openNodes({}, { ...rest, changeAll: failing });
    function failing(changes: Parameters<NonNullable<typeof changeAll>>[0]) {
      const isCount = changes.some(({ key }) => key.startsWith('count:'));
      return isCount ? Promise.reject(new Error('away')) : changeAll!(changes);
    }
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    // The handler has no error code of its own.
    expect(await ask()).toBeUndefined();
    await other.authTokens.revoke(sessionId);
    expect(await ask()).toBe('SESSION_REVOKED');
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect((await node.inject('/open')).statusCode).toBe(401);
  });
});
