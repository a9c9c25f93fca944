import { describe, expect, it, onTestFinished } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import { createLoginAttempts, type LoginAttempts } from '../src/index.js';
import { createTestEngine, gate, outcome, RIGHT, recordCalls, tally, WRONG } from './guesses.js';

const SUBJECT = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };

/** The failures of each counter that is not locked. */
async function failuresOf(engine: LoginAttempts): Promise<Record<string, number>> {
  const { counters } = await engine.explain(SUBJECT);
  return Object.fromEntries(
    counters.flatMap((each) => (each.state === 'counting' ? [[each.counter, each.failures]] : [])),
  );
}

describe('places in several counters', () => {
  it('PRF-13 LGN-5 are taken in one call, and in two if a window has failures', async () => {
    const { engine, store } = createTestEngine();
    const calls = recordCalls(store);
    const changes = () => calls.splice(0).filter(({ verb }) => verb === 'changeAll').length;
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    expect(changes()).toBe(1);
    expect(await outcome(engine, {}, WRONG)).toBe('failed');
    expect(changes()).toBe(1);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    expect(changes()).toBe(2);
  });

  it('PRF-13 LGN-5 a refused attempt takes no place in a wider counter', async () => {
    const policy = { failureCount: 2, accountFailureCount: 3, ipFailureCount: 4 };
    const { engine } = createTestEngine({ policy });
    const held = gate<null>();
    const guesses = Array.from({ length: 3 }, () => outcome(engine, {}, () => held.opened));
    // The address has room for two more names while two guesses of the first one are verified.
    await new Promise(setImmediate);
    const others = Array.from({ length: 3 }, (_, n) => outcome(engine, { username: `n-${n}` }, () => held.opened));
    await new Promise(setImmediate);
    held.open(null);
    expect(tally(await Promise.all(guesses))).toEqual({ failed: 2, LOGIN_LOCKED: 1 });
    expect(tally(await Promise.all(others))).toEqual({ failed: 2, LOGIN_LOCKED: 1 });
    expect(await failuresOf(engine)).toMatchObject({ account: 2 });
  });

  it('PRF-13 a right guess after many wrong ones of others is let through, and one at the limit is not', async () => {
    const { engine } = createTestEngine({ policy: { ipFailureCount: 5 } });
    const names = ['b', 'c', 'd', 'e', 'f'];
    for (const username of names.slice(1)) expect(await outcome(engine, { username }, WRONG)).toBe('failed');
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    expect(await outcome(engine, { username: 'b' }, WRONG)).toBe('failed');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it.each(stores)(
    'PRF-13 LGN-5 of parallel guesses exactly the narrowest limit pass: on %s',
    async (_name, open, need) => {
      if (lacks(need)) return;
      const opened = await open();
      onTestFinished(() => opened.close());
      const policy = { failureCount: 4, accountFailureCount: 6, ipFailureCount: 9 };
      const engines = opened.nodes.map((store) => createLoginAttempts({ store, policy }));
      const guess = async (n: number) => {
        const clientIp = `192.0.2.${n % 3}`;
        return outcome(engines[n % 2]!, { username: 'ada', clientIp });
      };
      expect(tally(await Promise.all(Array.from({ length: 60 }, (_, n) => guess(n))))).toEqual({
        failed: 6,
        LOGIN_LOCKED: 54,
      });
    },
  );
});

describe('onPassed', () => {
  it('PRF-13 gets the result of a success, while the success is counted', async () => {
    const { engine, store } = createTestEngine();
    const calls = recordCalls(store);
    const seen: unknown[] = [];
    const onPassed = async (result: unknown) => {
      seen.push(result, calls.at(-1)?.verb);
    };
    expect(await engine.attempt(SUBJECT, RIGHT, { onPassed })).toEqual(seen[0]);
    expect(seen).toHaveLength(2);
    expect(await engine.attempt(SUBJECT, WRONG, { onPassed })).toBeNull();
    expect(seen).toHaveLength(2);
  });

  it('PRF-13 a rejection of it refuses the attempt, whose success is counted', async () => {
    const { engine } = createTestEngine();
    await outcome(engine, {}, WRONG);
    const onPassed = () => Promise.reject(new Error('no session'));
    await expect(engine.attempt(SUBJECT, RIGHT, { onPassed })).rejects.toThrow('no session');
    expect((await failuresOf(engine)).subject ?? 0).toBe(0);
  });

  it('PRF-13 it has ended when the store fails to count the success', async () => {
    const { engine, store } = createTestEngine();
    let hasEnded = false;
    const onPassed = async () => {
      await new Promise(setImmediate);
      hasEnded = true;
    };
    const verify = async () => {
      Object.assign(store, { increment: () => Promise.reject(new Error('lost')) });
      return { id: 'u-1' };
    };
    await expect(engine.attempt(SUBJECT, verify, { onPassed })).rejects.toThrow('lost');
    expect(hasEnded).toBe(true);
  });
});
