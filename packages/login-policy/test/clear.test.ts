import { describe, expect, it } from 'vitest';
import { LOGIN_POLICY_DEFAULTS } from '../src/index.js';
import { createTestEngine, gate, inTurn, outcome, RIGHT, recordCalls, tally } from './guesses.js';

const address = (n: number) => `2001:db8:${(n >> 8).toString(16)}:${(n & 0xff).toString(16)}::1`;

describe('clear', () => {
  it('LGN-7 clears a thousand address records of an account by two writes that touch none of them', async () => {
    const { engine, store } = createTestEngine({ policy: { accountFailureCount: 0, failureCount: 1 } });
    expect(tally(await inTurn(engine, 1000, (n) => ({ clientIp: address(n) })))).toEqual({ failed: 1000 });
    expect(tally(await inTurn(engine, 50, (n) => ({ clientIp: address(n * 20) }), RIGHT))).toEqual({
      LOGIN_LOCKED: 50,
    });
    const calls = recordCalls(store);
    await engine.clear({ username: 'ada', terminal: 'web' });
    const writes = calls.filter(({ verb }) => verb !== 'get');
    expect(writes.map(({ key }) => key.split(':')[1])).toEqual(['generation', 'devices']);
    expect(tally(await inTurn(engine, 1000, (n) => ({ clientIp: address(n) }), RIGHT))).toEqual({ in: 1000 });
  });

  it('LGN-7 clears counting and locked counters, and the account-wide one', async () => {
    const { engine } = createTestEngine();
    await inTurn(engine, 4, { clientIp: address(1) });
    await inTurn(engine, 16, (n) => ({ clientIp: address(10 + n) }));
    expect(await outcome(engine, { clientIp: address(99) }, RIGHT)).toBe('LOGIN_LOCKED');
    await engine.clear({ username: 'ada' });
    expect(tally(await inTurn(engine, 6, { clientIp: address(1) }))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
    expect(tally(await inTurn(engine, 20, (n) => ({ clientIp: address(10 + n) })))).toEqual({
      failed: 15,
      LOGIN_LOCKED: 5,
    });
  });

  it.each([undefined, 'web', 'Web', 'WEB'])('LP-14 with the terminal %o clears the lock of "web"', async (terminal) => {
    const { engine } = createTestEngine();
    await inTurn(engine, 5, { terminal: 'web' });
    await engine.clear({ username: ' ADA ', terminal });
    expect(await outcome(engine, { terminal: 'web' }, RIGHT)).toBe('in');
  });

  it('LGN-7 leaves other names, other terminals and the counters of addresses alone', async () => {
    const { engine } = createTestEngine({ terminals: ['web', 'kiosk'], policy: { ipFailureCount: 15 } });
    await inTurn(engine, 5);
    await inTurn(engine, 5, { terminal: 'kiosk' });
    await inTurn(engine, 5, { username: 'bob' });
    await engine.clear({ username: 'ada' });
    expect(await outcome(engine, { terminal: 'kiosk', clientIp: '192.0.2.8' }, RIGHT)).toBe('in');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { clientIp: '192.0.2.9' }, RIGHT)).toBe('in');
    const { counters } = await engine.explain({ username: 'bob', clientIp: '192.0.2.7' });
    expect(counters.filter(({ state }) => state === 'locked').map(({ counter }) => counter)).toEqual(['subject', 'ip']);
  });

  it('LGN-7 refuses an unknown terminal and an impossible name with 400', async () => {
    const { engine } = createTestEngine();
    await expect(engine.clear({ username: 'ada', terminal: 'x' })).rejects.toMatchObject({ statusCode: 400 });
    await expect(engine.clear({ username: ' ' })).rejects.toMatchObject({ code: 'LOGIN_NAME_REFUSED' });
  });

  it('LGN-7 when the generation expires, cleared records stay cleared and later locks hold', async () => {
    const policy = { lockSeconds: 86_400, failureWindowSeconds: 86_400 };
    const { engine, clock } = createTestEngine({ policy });
    await inTurn(engine, 5, { clientIp: address(1) });
    await engine.clear({ username: 'ada' });
    // The generation expires after two days; the lock below begins shortly before that.
    clock.advance(2 * 86_400 - 1);
    expect(tally(await inTurn(engine, 5, { clientIp: address(2) }))).toEqual({ failed: 5 });
    expect(await outcome(engine, { clientIp: address(1) }, RIGHT)).toBe('in');
    clock.advance(10);
    expect(await outcome(engine, { clientIp: address(2) }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { clientIp: address(1) }, RIGHT)).toBe('in');
    await engine.clear({ username: 'ada' });
    expect(await outcome(engine, { clientIp: address(2) }, RIGHT)).toBe('in');
  });

  it('LGN-7 a store that loses the generation unlocks nothing that was locked after the clear', async () => {
    const { engine, store } = createTestEngine();
    const calls = recordCalls(store);
    await engine.clear({ username: 'ada' });
    const [generation] = calls;
    await inTurn(engine, 5);
    expect(await store.delete(generation!.key)).toBe(true);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('LGN-7 an attempt that reads the generation before a clear, and the record after, keeps later locks', async () => {
    const { engine, store } = createTestEngine();
    await engine.clear({ username: 'ada' });
    await inTurn(engine, 1);
    const { get } = store;
    const read = gate<void>();
    const goOn = gate<void>();
    let isFirst = true;
    // The slow attempt has read the old generation, and nothing else yet.
    const slowGet = async (key: string) => {
      if (!key.includes('generation:')) return goOn.opened.then(() => get(key));
      const generation = await get(key);
      if (isFirst) {
        isFirst = false;
        read.open();
      }
      return generation;
    };
    Object.assign(store, { get: slowGet });
    const slow = outcome(engine, {}, RIGHT);
    await read.opened;
    Object.assign(store, { get });
    await engine.clear({ username: 'ada' });
    await inTurn(engine, 5);
    goOn.open();
    expect(await slow).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });
});

describe('what a clear answers', () => {
  const START = Date.UTC(2026, 10, 21, 12);

  it('LGN-11 is nothing when no lock goes on', async () => {
    const { engine } = createTestEngine();
    await inTurn(engine, 5);
    expect(await engine.clear({ username: 'ada' })).toEqual({ stillLocked: [] });
    expect(await engine.clear({ username: 'nobody' })).toEqual({ stillLocked: [] });
  });

  it('LGN-11 names each locked address from which the name was locked or refused, and until when', async () => {
    const { engine, clock } = createTestEngine({ policy: { ipFailureCount: 5, failureCount: 5 } });
    await inTurn(engine, 5, { clientIp: '192.0.2.1' });
    clock.advance(60);
    await inTurn(engine, 5, (n) => ({ username: `colleague-${n}`, clientIp: '2001:db8:1:2::3' }));
    expect(await outcome(engine, { clientIp: '2001:db8:1:2::4' }, RIGHT)).toBe('LOGIN_LOCKED');
    const stillLocked = [
      { counter: 'ip', address: '2001:db8:1:2::/64', lockedUntil: START + 660_000 },
      { counter: 'ip', address: '192.0.2.1', lockedUntil: START + 600_000 },
    ];
    expect(await engine.clear({ username: 'ada' })).toEqual({ stillLocked });
    await engine.clearAddress({ clientIp: '2001:db8:1:2:ffff::1' });
    expect(await outcome(engine, { clientIp: '2001:db8:1:2::4' }, RIGHT)).toBe('in');
    expect(await engine.clear({ username: 'ada' })).toEqual({ stillLocked: stillLocked.slice(1) });
    clock.advance(540);
    expect(await engine.clear({ username: 'ada' })).toEqual({ stillLocked: [] });
  });

  it('LGN-11 does not name the counter of an address that was turned off', async () => {
    let policy = { ...LOGIN_POLICY_DEFAULTS, ipFailureCount: 5 };
    const { engine } = createTestEngine({ policy: () => policy });
    await inTurn(engine, 5);
    policy = { ...policy, ipFailureCount: 0 };
    expect(await engine.clear({ username: 'ada' })).toEqual({ stillLocked: [] });
  });

  it('LGN-11 a refusal by a locked address is noted once, for as long as the lock', async () => {
    const { engine, store, clock } = createTestEngine({ policy: { ipFailureCount: 1 } });
    await inTurn(engine, 1, { username: 'eve' });
    clock.advance(100);
    const calls = recordCalls(store);
    await inTurn(engine, 10);
    const writes = calls.filter(({ verb }) => verb !== 'get');
    expect(writes.map(({ verb }) => verb)).toEqual(['compareAndSet']);
    clock.advance(500);
    expect(await store.get(writes[0]!.key)).toBeNull();
  });
});

describe('clearAddress', () => {
  it('LGN-11 frees an address for all names, and leaves the locks of names alone', async () => {
    const events: unknown[] = [];
    const { engine } = createTestEngine({ policy: { ipFailureCount: 8 }, onEvent: (event) => void events.push(event) });
    await inTurn(engine, 5);
    await inTurn(engine, 3, { username: 'bob' });
    expect(await outcome(engine, { username: 'eve' }, RIGHT)).toBe('LOGIN_LOCKED');
    events.length = 0;
    await engine.clearAddress({ clientIp: '::ffff:192.0.2.7' });
    expect(events).toEqual([{ type: 'address-cleared', address: '192.0.2.7' }]);
    expect(await outcome(engine, { username: 'eve' }, RIGHT)).toBe('in');
    expect(await outcome(engine, { username: 'bob' }, RIGHT)).toBe('in');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    expect(tally(await inTurn(engine, 9, (n) => ({ username: `other-${n}` })))).toEqual({ failed: 8, LOGIN_LOCKED: 1 });
  });

  it('LGN-11 takes one read and one write, and nothing of an address that was never counted', async () => {
    const { engine, store } = createTestEngine({ policy: { ipFailureCount: 1 } });
    await inTurn(engine, 1);
    const calls = recordCalls(store);
    await engine.clearAddress({ clientIp: '192.0.2.7' });
    expect(calls.splice(0).map(({ verb }) => verb)).toEqual(['get', 'compareAndDelete']);
    await engine.clearAddress({ clientIp: '192.0.2.200' });
    expect(calls.map(({ verb }) => verb)).toEqual(['get']);
  });

  it('LGN-11 attempts in flight count as before it, and lock no later window', async () => {
    const { engine } = createTestEngine({ policy: { ipFailureCount: 3, failureCount: 100 } });
    const ended = gate<null>();
    const guesses = Array.from({ length: 3 }, () => outcome(engine, {}, () => ended.opened));
    await new Promise(setImmediate);
    await engine.clearAddress({ clientIp: '192.0.2.7' });
    expect(await outcome(engine, { username: 'bob' })).toBe('failed');
    ended.open(null);
    expect(await Promise.all(guesses)).toEqual(['failed', 'failed', 'failed']);
    expect(await outcome(engine, { username: 'bob' }, RIGHT)).toBe('in');
    const { counters } = await engine.explain({ username: 'bob', clientIp: '192.0.2.7' });
    expect(counters.at(-1)).toMatchObject({ counter: 'ip', state: 'counting', failures: 1, inFlight: 0 });
  });

  it('LGN-11 refuses what is no address', async () => {
    const { engine } = createTestEngine();
    await expect(engine.clearAddress({ clientIp: 'x' })).rejects.toThrow('clientIp must be an IP address');
  });
});
