import { parseIp } from '@sallyport/plugin-kit/addresses';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import {
  countersOf,
  createAccountGenerations,
  createFailureCounters,
  createLockedAddresses,
} from '../src/counters/index.js';
import { createLoginAttempts, LOGIN_POLICY_DEFAULTS } from '../src/index.js';
import { createTestEngine, gate, inTurn, outcome, RIGHT, recordCalls, retryAfter, tally, WRONG } from './guesses.js';

const AWAY = () => Promise.reject(Object.assign(new Error('away'), { code: 'AWAY', statusCode: 503 }));

describe('the place of a broken verification', () => {
  it('ADP-6 is kept for 60 s, and then given back', async () => {
    const { engine, clock } = createTestEngine();
    expect(tally(await inTurn(engine, 20, {}, AWAY))).toEqual({ AWAY: 5, LOGIN_LOCKED: 15 });
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(59.999);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(0.001);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('ADP-6 is kept from its own rejection on', async () => {
    const { engine, clock } = createTestEngine();
    for (let n = 0; n < 5; n++) {
      expect(await outcome(engine, {}, AWAY)).toBe('AWAY');
      clock.advance(10);
    }
    // They end after 60, 70, 80, 90 and 100 s; the window is 50 s old.
    for (let n = 0; n < 5; n++) {
      expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
      clock.advance(10);
      expect(tally(await inTurn(engine, 3, {}, AWAY))).toEqual({ AWAY: 1, LOGIN_LOCKED: 2 });
    }
  });

  it('ADP-6 gives a client that breaks verifications no more than the limit of guesses a minute, and no lock', async () => {
    const { engine, clock } = createTestEngine({ policy: { failureWindowSeconds: 86_400 } });
    for (let minute = 0; minute < 100; minute++) {
      expect(tally(await inTurn(engine, 8, {}, AWAY))).toEqual({ AWAY: 5, LOGIN_LOCKED: 3 });
      clock.advance(60);
    }
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('ADP-6 counts beside failures: the failures that fill the window still lock', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 3, {}, AWAY);
    expect(tally(await inTurn(engine, 4))).toEqual({ failed: 2, LOGIN_LOCKED: 2 });
    clock.advance(60);
    expect(tally(await inTurn(engine, 4))).toEqual({ failed: 3, LOGIN_LOCKED: 1 });
    expect(await retryAfter(engine)).toBe(600);
  });

  it('ADP-6 of parallel guesses after 60 s exactly as many as the limit are verified', async () => {
    const { engine, clock } = createTestEngine();
    await Promise.all(Array.from({ length: 30 }, () => outcome(engine, {}, AWAY)));
    clock.advance(60);
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => outcome(engine)));
    expect(tally(outcomes)).toEqual({ failed: 5, LOGIN_LOCKED: 25 });
  });

  it('ADP-6 is held in the counters of the account and of the address as well', async () => {
    const policy = { accountFailureCount: 6, ipFailureCount: 7 };
    const { engine, clock } = createTestEngine({ policy });
    await inTurn(engine, 3, { clientIp: '192.0.2.1' }, AWAY);
    await inTurn(engine, 3, { clientIp: '192.0.2.2' }, AWAY);
    expect(await outcome(engine, { clientIp: '192.0.2.3' }, RIGHT)).toBe('LOGIN_LOCKED');
    await inTurn(engine, 4, { clientIp: '192.0.2.1', username: 'bob' }, AWAY);
    expect(await outcome(engine, { clientIp: '192.0.2.1', username: 'eve' }, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(60);
    expect(await outcome(engine, { clientIp: '192.0.2.3' }, RIGHT)).toBe('in');
    expect(await outcome(engine, { clientIp: '192.0.2.1', username: 'eve' }, RIGHT)).toBe('in');
  });

  it('ADP-6 ends with its window, with a clear and with a success', async () => {
    const { engine, clock } = createTestEngine({ policy: { failureWindowSeconds: 30 } });
    await inTurn(engine, 5, {}, AWAY);
    clock.advance(30);
    expect(tally(await inTurn(engine, 6, {}, AWAY))).toEqual({ AWAY: 5, LOGIN_LOCKED: 1 });
    await engine.clear({ username: 'ada' });
    expect(tally(await inTurn(engine, 4, {}, AWAY))).toEqual({ AWAY: 4 });
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
  });

  it('ADP-6 a rejection after the end of its window affects no later one', async () => {
    const { engine, clock } = createTestEngine();
    const verdicts = Array.from({ length: 5 }, () => gate<void>());
    const pending = verdicts.map((verdict) => outcome(engine, {}, () => verdict.opened.then(AWAY)));
    await new Promise(setImmediate);
    clock.advance(700);
    for (const verdict of verdicts) verdict.open();
    expect(tally(await Promise.all(pending))).toEqual({ AWAY: 5 });
    expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
  });

  it('ADP-6 retry-after is the time until the next place, or 5 s while a password is being verified', async () => {
    const { engine, clock } = createTestEngine({ policy: { failureCount: 2 } });
    await outcome(engine, {}, AWAY);
    clock.advance(20);
    const verdict = gate<null>();
    const pending = outcome(engine, {}, () => verdict.opened);
    await new Promise(setImmediate);
    expect(await retryAfter(engine)).toBe(5);
    clock.advance(38);
    expect(await retryAfter(engine)).toBe(2);
    verdict.open(null);
    expect(await pending).toBe('failed');
    expect(await retryAfter(engine)).toBe(2);
    clock.advance(2);
    expect(await outcome(engine, {}, AWAY)).toBe('AWAY');
    expect(await retryAfter(engine)).toBe(60);
  });

  it('ADP-6 explain reports it in flight until it ends', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 1);
    await inTurn(engine, 3, {}, AWAY);
    const counting = async () =>
      (await engine.explain({ username: 'ada', clientIp: '192.0.2.7' })).counters.map((report) =>
        report.state === 'counting' ? [report.failures, report.inFlight] : [],
      );
    expect(await counting()).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
    clock.advance(60);
    expect(await counting()).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
  });

  it('ADP-6 needs no timer and no memory: nothing keeps a process alive, and a new one gives it back', async () => {
    const { engine, clock, store } = createTestEngine();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await inTurn(engine, 5, {}, AWAY);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(before);
    const restarted = createLoginAttempts({ store, now: clock.now });
    expect(await outcome(restarted, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(60);
    expect(await outcome(restarted, {}, RIGHT)).toBe('in');
  });

  it('ADP-6 the list of a window stays small, however long verifications break off', async () => {
    const { engine, clock, store } = createTestEngine({
      policy: { failureCount: 100, accountFailureCount: 0, ipFailureCount: 10_000, failureWindowSeconds: 86_400 },
    });
    const calls = recordCalls(store);
    for (let n = 0; n < 3000; n++) {
      await outcome(engine, { username: `user-${n}` }, AWAY);
      clock.advance(0.05);
    }
    const key = calls.findLast((call) => /:ip:.*:kept$/.test(call.key))!.key;
    const list = JSON.parse((await store.get(key)) as string);
    expect(list.taken.length).toBeLessThanOrEqual(601);
    const taken = list.taken.reduce((sum: number, entry: { places: number }) => sum + entry.places, 0);
    expect(list.ended + taken).toBe(3000);
    expect(JSON.stringify(list).length).toBeLessThan(32_000);
  });

  it('ADP-6 places of one process that are kept at the same time are written together', async () => {
    const { engine, store } = createTestEngine({ policy: { accountFailureCount: 0, ipFailureCount: 10_000 } });
    const verdict = gate<void>();
    const attempts = Array.from({ length: 500 }, (_, n) =>
      outcome(engine, { username: `user-${n}` }, () => verdict.opened.then(AWAY)),
    );
    await new Promise(setImmediate);
    const calls = recordCalls(store);
    verdict.open();
    expect(tally(await Promise.all(attempts))).toEqual({ AWAY: 500 });
    const writes = calls.filter(({ verb, key }) => verb === 'compareAndSet' && /:ip:.*:kept$/.test(key));
    expect(writes.length).toBeLessThan(5);
    const { counters } = await engine.explain({ username: 'user-0', clientIp: '192.0.2.7' });
    expect(counters.find(({ counter }) => counter === 'ip')).toMatchObject({ failures: 0, inFlight: 500 });
  });

  it('LP-51 if it can not be written, the place stays taken until its window ends', async () => {
    const { engine, clock, store } = createTestEngine({ policy: { failureCount: 1 } });
    const { compareAndSet } = store;
    const away = () => Promise.reject(new Error('store away'));
    const interrupted = () => {
      Object.assign(store, { compareAndSet: away });
      return AWAY();
    };
    expect(await outcome(engine, {}, interrupted)).toBe('AWAY');
    Object.assign(store, { compareAndSet });
    clock.advance(599);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(1);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LP-51 if the list can not be read, the attempt is refused with 503 and takes no place', async () => {
    for (const text of ['', 'null', '{}', '5', '{"ended":1}', '{"ended":"1","taken":[]}']) {
      const { engine, clock, store } = createTestEngine();
      const calls = recordCalls(store);
      await inTurn(engine, 5, {}, AWAY);
      const { key } = calls.find((call) => /:subject:.*:kept$/.test(call.key))!;
      const list = (await store.get(key)) as string;
      await store.set(key, text, 600_000);
      expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_POLICY_UNAVAILABLE');
      await store.set(key, list, 600_000);
      clock.advance(60);
      expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
    }
  });
});

describe.each(stores)('on %s, two nodes', (_name, open, need) => {
  const account = { username: 'ada', terminal: 'web' };
  const policy = { ...LOGIN_POLICY_DEFAULTS, admits: () => true };

  /** The counters alone, with places that are kept for so long. */
  async function openNodes(keptMillis: number) {
    const opened = await open();
    onTestFinished(() => opened.close());
    const keyPrefix = 'login-policy:';
    return opened.nodes.map((store) =>
      createFailureCounters({
        store,
        keyPrefix,
        generations: createAccountGenerations(store, keyPrefix),
        lockedAddresses: createLockedAddresses(store, keyPrefix),
        now: Date.now,
        keptMillis,
      }),
    ) as [Counters, Counters];
  }
  type Counters = ReturnType<typeof createFailureCounters>;

  const reserve = async (counters: Counters) => {
    const own = countersOf(account, parseIp('192.0.2.7')!, null, policy).subject;
    const [subject] = await counters.observe([own], account);
    return counters.reserve(subject!, account, policy);
  };

  /** Reserves on both nodes at once. What becomes of the places? */
  async function reserveAll(nodes: readonly Counters[], fate: 'keep' | 'release'): Promise<number> {
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(nodes[n % 2]!)));
    const places = verdicts.flatMap((verdict) => ('reserved' in verdict ? verdict.reserved : []));
    await Promise.all(places.map((place, n) => nodes[n % 2]![fate](place)));
    return places.length;
  }

  it.skipIf(lacks(need))(
    'ADP-6 places that are kept are given back by the clock of the store, to both',
    async () => {
      const nodes = await openNodes(3000);
      const since = performance.now();
      expect(await reserveAll(nodes, 'keep')).toBe(5);
      expect(await reserveAll(nodes, 'release')).toBe(0);
      await expect.poll(() => reserveAll(nodes, 'release'), { timeout: 40_000, interval: 500 }).toBe(5);
      // Redis counts whole milliseconds, and an end is rounded down to a tenth of a second.
      expect(performance.now() - since).toBeGreaterThan(2800);
      expect(await reserveAll(nodes, 'keep')).toBe(5);
      expect(await reserveAll(nodes, 'release')).toBe(0);
    },
    60_000,
  );

  it.skipIf(lacks(need))(
    'ADP-6 of attempts that break off in parallel on two nodes, none holds more or less than its place',
    async () => {
      const opened = await open();
      onTestFinished(() => opened.close());
      const engines = opened.nodes.map((store) => createLoginAttempts({ store }));
      const guess = (n: number) => ({ username: `user-${n % 40}`, clientIp: '192.0.2.7' });
      const outcomes = await Promise.all(
        Array.from({ length: 120 }, (_, n) => outcome(engines[n % 2]!, guess(n), n % 3 === 0 ? WRONG : AWAY)),
      );
      expect(tally(outcomes)).toEqual({ AWAY: expect.any(Number), failed: expect.any(Number), LOGIN_LOCKED: 20 });
      const { counters } = await engines[0]!.explain({ username: 'user-0', clientIp: '192.0.2.7' });
      const { AWAY: inFlight, failed: failures } = tally(outcomes);
      expect(counters.find(({ counter }) => counter === 'ip')).toMatchObject({ failures, inFlight });
    },
    60_000,
  );
});

describe('a memory store that is full', () => {
  it('ADP-6 a broken verification still keeps its place', async () => {
    const store = createMemoryStore({ maxEntries: 7 });
    const engine = createLoginAttempts({ store, policy: { failureCount: 1 } });
    // Six entries are the records and tallies of the attempt; only one of three lists fits.
    expect(await outcome(engine, {}, AWAY)).toBe('AWAY');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });
});
