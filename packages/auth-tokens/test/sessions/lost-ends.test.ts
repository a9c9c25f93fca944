import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import type { FastifyError, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLosingStore } from '../../../../scripts/losing-store.js';
import type { AuthTokensOptions } from '../../src/index.js';
import { closeApps, createTestApp, TestClock } from '../test-app.js';

/** A store of ends that nodes share. */
const createEnds = (now?: () => number): TtlStore => ({
  ...createMemoryStore({ ...(now && { now }) }),
  lifetime: 'shared',
});

/** Two nodes on a store that loses data, with ends in another one. */
async function openNodes(more: Partial<AuthTokensOptions> = {}) {
  const clock = new TestClock();
  const losing = createLosingStore(clock.now);
  const ends = createEnds(clock.now);
  const options = { store: losing.store, ends, ...more };
  const nodes = [await createTestApp(options, {}, clock), await createTestApp(options, {}, clock)] as const;
  const sessionOf = async (token: string) =>
    (await nodes[0].get('/any', token)).json<{ principal: { sessionId: string } }>().principal.sessionId;
  return { clock, losing, ends, nodes, sessionOf };
}

type Opened = Awaited<ReturnType<typeof openNodes>>;

/** Each loses what was written since `copy`. */
const losses: Readonly<Record<string, (opened: Opened, copy: ReturnType<Opened['losing']['copy']>) => void>> = {
  'a failover to a replica that lagged': ({ losing }, copy) => losing.become(copy, true),
  'a restart with an older snapshot': ({ losing }, copy) => losing.become(copy, true),
  // The nodes have looked at the mark since.
  'a restore of older data into the running store': ({ losing }, copy) => losing.become(copy, false),
};

describe('ends of sessions in a store that loses data', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(async () => {
    await closeApps();
    vi.useRealTimers();
  });

  for (const [loss, lose] of Object.entries(losses)) {
    it(`TOK-15 after ${loss} no ended session lives again, on any node, and the others go on`, async () => {
      const opened = await openNodes();
      const { losing, nodes, sessionOf } = opened;
      const [node, other] = nodes;
      const loggedOut = await node.signIn('u-1');
      const kept = await node.signIn('u-1');
      const reset = await node.signIn('u-2');
      const bystander = await node.signIn('u-3');
      const copy = losing.copy();
      opened.clock.advance(2);
      await vi.advanceTimersByTimeAsync(2000);
      await node.app.authTokens.revoke(await sessionOf(loggedOut));
      await node.app.authTokens.revokeAll({ audience: 'admin', subject: 'u-2' }, 'PASSWORD_CHANGED');
      expect(await node.code('/any', loggedOut)).toBe('401 SESSION_REVOKED');
      lose(opened, copy);
      // Every node notices it with its first request.
      expect(await other.code('/any', loggedOut)).toBe('401 SESSION_REVOKED');
      expect(await node.code('/any', reset)).toBe('401 PASSWORD_CHANGED');
      for (const { code } of nodes) {
        expect(await code('/any', loggedOut)).toBe('401 SESSION_REVOKED');
        expect(await code('/any', reset)).toBe('401 PASSWORD_CHANGED');
        for (const token of [kept, bystander]) expect(await code('/any', token)).toBe('200');
      }
    });
  }

  it('TOK-15 of a flushed store no session is left, and a sign-in works at once', async () => {
    const { losing, nodes } = await openNodes();
    const token = await nodes[0].signIn();
    losing.become(losing.nothing, false);
    expect(await nodes[1].code('/any', token)).toBe('401 SESSION_EXPIRED');
    expect(await nodes[1].code('/any', await nodes[0].signIn())).toBe('200');
  });

  it('TOK-15 ends are looked up once for each account after a loss, and never without one', async () => {
    const asked: (readonly string[])[] = [];
    const ends = {
      write: async () => {},
      async find(ids: readonly string[]) {
        asked.push(ids);
        return [];
      },
    };
    const { losing, nodes, sessionOf } = await openNodes({ ends });
    const tokens = [await nodes[0].signIn('u-1'), await nodes[0].signIn('u-1'), await nodes[0].signIn('u-2')];
    const ids = await Promise.all(tokens.map(sessionOf));
    for (const token of tokens) expect(await nodes[1].code('/any', token)).toBe('200');
    expect(asked).toEqual([]);
    losing.become(losing.copy(), true);
    for (const { code } of nodes) for (const token of tokens) expect(await code('/any', token)).toBe('200');
    expect(asked).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  it('TOK-15 two losses in a row lose no end: what is newer than the first replica is looked up again', async () => {
    const { losing, nodes, sessionOf } = await openNodes();
    const [node, other] = nodes;
    const token = await node.signIn();
    losing.become(losing.copy(), true);
    expect(await other.code('/any', token)).toBe('200');
    const checked = losing.copy();
    await node.app.authTokens.revoke(await sessionOf(token));
    losing.become(checked, true);
    for (const { code } of nodes) expect(await code('/any', token)).toBe('401 SESSION_REVOKED');
  });

  it('TOK-15 while ends cannot be looked up, only the sessions that need it are refused, with 503', async () => {
    let isAway = false;
    const find = async () => {
      if (isAway) throw new Error('away');
      return [];
    };
    const { losing, nodes } = await openNodes({ ends: { write: async () => {}, find } });
    const token = await nodes[0].signIn('u-1');
    losing.become(losing.copy(), true);
    isAway = true;
    expect(await nodes[0].code('/any', token)).toBe('503 SESSION_STORE_UNAVAILABLE');
    // Opened under the new mark.
    expect(await nodes[0].code('/any', await nodes[0].signIn('u-2'))).toBe('200');
    isAway = false;
    expect(await nodes[0].code('/any', token)).toBe('200');
  });

  it('TOK-15 TOK-14 what is open of a session is cut, though the store forgot its end before any node looked', async () => {
    const { losing, nodes, sessionOf, clock } = await openNodes();
    const token = await nodes[0].signIn();
    const id = await sessionOf(token);
    const { principal } = (await nodes[0].get('/any', token)).json();
    const closed: string[] = [];
    const request = { principal, raw: {} } as FastifyRequest;
    nodes[0].app.authTokens.onEnd(request, (error) => closed.push((error as FastifyError).code));
    const copy = losing.copy();
    await nodes[1].app.authTokens.revoke(id);
    losing.become(copy, true);
    for (let beat = 0; beat < 2; beat += 1) {
      clock.advance(1);
      await vi.advanceTimersByTimeAsync(1000);
    }
    await vi.waitFor(() => expect(closed).toEqual(['SESSION_REVOKED']));
  });

  it('TOK-15 an end that comes while the ends are looked up is not undone', async () => {
    let find = async (): Promise<[]> => [];
    const { losing, nodes, sessionOf } = await openNodes({ ends: { write: async () => {}, find: () => find() } });
    const token = await nodes[0].signIn();
    const id = await sessionOf(token);
    losing.become(losing.copy(), true);
    let calls = 0;
    find = async () => {
      calls += 1;
      if (calls === 1) await nodes[1].app.authTokens.revoke(id);
      return [];
    };
    expect(await nodes[0].code('/any', token)).toBe('401 SESSION_REVOKED');
  });

  it('TOK-15 the start says what an application does without a durable store', async () => {
    const clock = new TestClock();
    const said = async (options: Partial<AuthTokensOptions>) => {
      const lines: string[] = [];
      const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
      await createTestApp({ store: createLosingStore(clock.now).store, ...options }, { logger }, clock);
      return lines.join('');
    };
    expect(await said({})).toContain('sessions that were ended live again');
    expect(await said({ ends: null })).toBe('');
    expect(await said({ ends: createEnds() })).toBe('');
    expect(await said({ store: createMemoryStore() })).toBe('');
    const { marks: _none, ...unmarked } = createLosingStore(clock.now).store;
    await expect(said({ store: unmarked, ends: createEnds() })).rejects.toThrow(/store has no `marks`/);
  });

  it('TOK-15 refuses a store of ends that would be lost with the sessions, or that other nodes do not see', async () => {
    const clock = new TestClock();
    const store = { ...createEnds(), ...createLosingStore(clock.now).store };
    const start = (ends: TtlStore) => createTestApp({ store, ends }, {}, clock);
    await expect(start(createEnds())).resolves.toBeDefined();
    await expect(start(store)).rejects.toThrow(/ends is `store` itself/);
    await expect(start(createMemoryStore())).rejects.toThrow(/no other node sees them/);
  });
});
