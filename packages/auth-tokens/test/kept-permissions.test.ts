import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import type { FastifyServerOptions } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createKeptPermissions } from '../src/permissions/kept-permissions.js';
import { closeApps, createTestApp } from './test-app.js';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeApps();
});

const clear = 'api:admin:auth:clearLoginLimit';
const principal = { audience: 'admin', subject: 'u-1', sessionId: 's' };

/** A server that keeps permissions, and the table that they are loaded from. */
async function openKeeping(areSettled: () => Promise<boolean> = async () => true, settings: FastifyServerOptions = {}) {
  const table = { grants: [clear] as readonly string[], loads: 0 };
  const opened = await createTestApp(
    {
      permissions: [clear],
      loadPermissions() {
        table.loads += 1;
        return table.grants;
      },
      permissionChanges: { areSettled },
    },
    settings,
  );
  const token = await opened.signIn();
  const ask = () => opened.code('/clear', token);
  /** The first request finds no version, and the next ones keep what they load. */
  async function keep(): Promise<void> {
    await ask();
    await vi.waitFor(async () => {
      const { loads } = table;
      await ask();
      expect(table.loads).toBe(loads);
    });
  }
  return { ...opened, table, token, ask, keep };
}

describe('permissions that are kept', () => {
  it('PRF-13 are loaded once, as long as none have changed', async () => {
    const { ask, keep, table } = await openKeeping();
    await keep();
    const { loads } = table;
    for (let request = 0; request < 5; request += 1) expect(await ask()).toBe('200');
    expect(table.loads).toBe(loads);
  });

  it('TOK-6 are loaded again by the next request after the announcement of a change, and kept when it is settled', async () => {
    let isUnderWay = false;
    const { app, ask, keep, table } = await openKeeping(async () => !isUnderWay);
    await keep();
    isUnderWay = true;
    await app.authTokens.announcePermissionsChange();
    // Not committed yet.
    expect(await ask()).toBe('200');
    table.grants = [];
    expect(await ask()).toBe('403 PERMISSION_DENIED');
    const { loads } = table;
    expect(await ask()).toBe('403 PERMISSION_DENIED');
    expect(table.loads).toBe(loads + 1);
    isUnderWay = false;
    // The pause after an attempt to renew the version.
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 1000);
    await keep();
  });

  it.each(['absent', 'announced'])(
    'TOK-6 an announcement after the wait for a version that was %s stands',
    async (seen) => {
      const store = createMemoryStore();
      const onFailure = vi.fn();
      const open = (areSettled: () => Promise<boolean>) =>
        createKeptPermissions({
          store,
          texts: { keyOf: (name) => name, read: async (name) => ({ text: await store.get(name), mark: '' }) },
          load: async () => [],
          changes: { areSettled },
          monotonic: () => 0,
          onFailure,
        });
      const writer = open(async () => true);
      const announced = vi.fn(() => writer.announce().then(() => true));
      const node = open(announced);
      if (seen === 'announced') await writer.announce();
      await node.grantsAt(node.look(), principal);
      await vi.waitFor(() => expect(announced).toHaveBeenCalled());
      for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
      expect((await node.look()).text).toMatch(/^changing:/);
      expect(onFailure).not.toHaveBeenCalled();
    },
  );

  it('TOK-6 are loaded again after 10 s, for changes that nobody announced', async () => {
    const { ask, keep, table } = await openKeeping();
    await keep();
    table.grants = [];
    expect(await ask()).toBe('200');
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 10_000);
    expect(await ask()).toBe('403 PERMISSION_DENIED');
  });

  it('TOK-11 are loaded for each request, and logged, while changes can’t be waited for', async () => {
    const lines: string[] = [];
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
    const { ask, table } = await openKeeping(() => Promise.reject(new Error('no lock')), { logger });
    for (const loads of [1, 2, 3]) {
      expect(await ask()).toBe('200');
      expect(table.loads).toBe(loads);
    }
    await vi.waitFor(() => expect(lines.join()).toContain('permissions are loaded on each request'));
  });

  it('TOK-11 a change whose announcement fails is refused', async () => {
    const store = createMemoryStore();
    const permissionChanges = { areSettled: async () => true };
    const away = { ...store, set: () => Promise.reject(new Error('away')) };
    const { app } = await createTestApp({
      store: away,
      permissions: [clear],
      loadPermissions: () => [],
      permissionChanges,
    });
    await expect(app.authTokens.announcePermissionsChange()).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
  });

  it('an announcement without the option is a mistake, as is the option without loadPermissions or set', async () => {
    const { app } = await createTestApp();
    await expect(app.authTokens.announcePermissionsChange()).rejects.toThrow('permissionChanges');
    const { set: _, ...store } = createMemoryStore();
    await expect(createTestApp({ store, permissionChanges: { areSettled: async () => true } })).rejects.toThrow(
      /permissionChanges needs a store with set[\s\S]*permissionChanges needs loadPermissions/,
    );
    const shared = { ...createMemoryStore(), lifetime: 'shared' as const };
    const changes = { areSettled: () => true };
    await expect(
      createTestApp({ store: shared, ends: null, loadPermissions: () => [], permissionChanges: changes }),
    ).rejects.toThrow('permissionChanges needs ends with find');
  });
});

/*
 * Two nodes under a scheduler, which releases every step of store and database in an order of its choice. A change
 * takes a lock, announces, commits or is undone, and releases the lock. The store may lose its latest writes at any
 * time, and its mark changes then.
 */

/** What becomes of an announcement. Only one that is heard lets its change commit. */
type Fate = 'heard' | 'refused' | 'unheard' | 'late';

type Event =
  | { readonly kind: 'change'; readonly fate: Fate; readonly commits: boolean; readonly turns: number }
  | { readonly kind: 'request'; readonly node: 0 | 1; readonly times: number }
  | { readonly kind: 'loss'; readonly writes: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    fate: fc.constantFrom<Fate>('heard', 'heard', 'heard', 'refused', 'unheard', 'late'),
    commits: fc.constantFrom(true, true, false),
    turns: fc.integer({ min: 0, max: 24 }),
  }),
  fc.record({
    kind: fc.constant('request' as const),
    node: fc.constantFrom(0 as const, 1 as const),
    times: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({ kind: fc.constant('loss' as const), writes: fc.integer({ min: 0, max: 3 }) }),
);

/** The requests that were answered by kept permissions, over all runs. */
let answeredByKept = 0;

async function interleave(scheduler: fc.Scheduler, rounds: readonly (readonly Event[])[]): Promise<void> {
  const turn = () => scheduler.schedule(Promise.resolve());
  const history: (string | null)[] = [null];
  const present = () => history.at(-1) as string | null;
  const write = (text: string) => history.push(text);
  let mark = 0;
  let now = 0;
  let committed = 0;
  let lock: Promise<unknown> = Promise.resolve();

  let isLocked = false;
  function locked(work: () => Promise<void>): Promise<void> {
    const turnOfLock = lock.then(async () => {
      isLocked = true;
      await work();
      isLocked = false;
    });
    lock = turnOfLock;
    return turnOfLock;
  }

  /** A step that takes effect between a request and its answer. */
  async function step<Result>(effect: () => Result): Promise<Result> {
    await turn();
    const result = effect();
    await turn();
    return result;
  }

  function openNode(fate: Fate = 'heard') {
    const loads = { count: 0 };
    const kept = createKeptPermissions({
      store: {
        async set(_key, text) {
          if (fate === 'late') void turn().then(() => write(text));
          else if (fate !== 'refused') await step(() => write(text));
          if (fate !== 'heard') throw new Error('no answer');
        },
        compareAndSet: (_key, expected, text) => step(() => present() === expected && write(text) > 0),
        setIfAbsent: (_key, text) => step(() => present() === null && write(text) > 0),
      },
      texts: { keyOf: (name) => name, read: () => step(() => ({ text: present(), mark: `m${mark}` })) },
      load() {
        loads.count += 1;
        return step(() => [String(committed)]);
      },
      changes: { areSettled: () => step(() => !isLocked) },
      monotonic: () => now,
      onFailure: () => {},
    });
    return { kept, loads };
  }
  const nodes = [openNode(), openNode()] as const;

  const change = ({ fate, commits, turns }: Event & { readonly kind: 'change' }) =>
    locked(async () => {
      const { kept } = openNode(fate);
      const isAnnounced = await kept.announce().then(
        () => true,
        () => false,
      );
      for (let waited = 0; waited <= turns; waited += 1) await turn();
      if (isAnnounced && commits) committed += 1;
      await turn();
    });

  async function request({ node, times }: Event & { readonly kind: 'request' }): Promise<void> {
    const { kept, loads } = nodes[node];
    for (let time = 0; time < times; time += 1) {
      const [before, loadsBefore] = [committed, loads.count];
      const [seen] = await kept.grantsAt(kept.look(), principal);
      expect(Number(seen)).toBeGreaterThanOrEqual(before);
      if (loads.count === loadsBefore) answeredByKept += 1;
    }
  }

  async function loss({ writes }: Event & { readonly kind: 'loss' }): Promise<void> {
    await turn();
    history.length = Math.max(1, history.length - writes);
    mark += 1;
  }

  const begin = (one: Event) => (one.kind === 'change' ? change(one) : one.kind === 'loss' ? loss(one) : request(one));
  for (const round of rounds) {
    // The pause between two renewals is over.
    now += 1000;
    await scheduler.waitFor(Promise.all(round.map(begin)));
  }
}

describe('permissions that are kept on two nodes', () => {
  it('TOK-6 a request sees every change that was committed before it, in every order, after every loss', async () => {
    answeredByKept = 0;
    // Enough at once that a renewal meets the next change.
    const rounds = fc.array(fc.array(event, { minLength: 3, maxLength: 7 }), { minLength: 2, maxLength: 5 });
    await fc.assert(fc.asyncProperty(fc.scheduler(), rounds, interleave), { numRuns: 400, seed: 20261130 });
    expect(answeredByKept).toBeGreaterThan(100);
  });
});
