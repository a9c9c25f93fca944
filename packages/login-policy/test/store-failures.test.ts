import { StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import { createLoginAttempts } from '../src/index.js';
import { createTestEngine, inTurn, outcome, RIGHT, recordCalls, tally } from './guesses.js';

/** Makes the store fail from the given call on. Returns the count of its calls. */
function failFrom(store: TtlStore, first: number): { calls: number } {
  const count = { calls: 0 };
  for (const [verb, original] of Object.entries(store)) {
    if (typeof original !== 'function') continue;
    const failing = async (...args: unknown[]): Promise<unknown> => {
      count.calls += 1;
      if (count.calls >= first) throw new StoreUnavailableError();
      return Reflect.apply(original, store, args);
    };
    Object.assign(store, { [verb]: failing });
  }
  return count;
}

describe('with an unavailable store', () => {
  it.each([
    { hasChangeAll: true, calls: 5 },
    { hasChangeAll: false, calls: 10 },
  ])(
    'LP-51 refuses with 503 and verifies nothing, whichever call before the verification fails: $calls',
    async (kind) => {
      const { engine: whole, store: counted } = createTestEngine({}, kind.hasChangeAll);
      const before = recordCalls(counted);
      let callsBefore = 0;
      await outcome(whole, {}, async () => {
        callsBefore = before.length;
        return null;
      });
      expect(callsBefore).toBe(kind.calls);
      for (let first = 1; first <= callsBefore; first++) {
        const { engine, store } = createTestEngine({}, kind.hasChangeAll);
        failFrom(store, first);
        let verified = 0;
        const verify = async () => {
          verified += 1;
          return { id: 'u-1' };
        };
        const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
        await expect(engine.attempt(subject, verify)).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
          statusCode: 503,
        });
        expect(verified).toBe(0);
      }
    },
  );

  it('LP-51 if it fails during the verification, nobody is let in and the attempt stays counted', async () => {
    for (const verify of [RIGHT, async () => null]) {
      const { engine, store } = createTestEngine({ policy: { failureCount: 1 } });
      const verbs = { ...store };
      const interrupted = async () => {
        failFrom(store, 1);
        return verify();
      };
      expect(await outcome(engine, {}, interrupted)).toBe('STORE_UNAVAILABLE');
      Object.assign(store, verbs);
      expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    }
  });

  it('LP-51 rejects with the error of the verification, even if the attempt can not be released', async () => {
    const { engine, store } = createTestEngine();
    const interrupted = async () => {
      failFrom(store, 1);
      throw Object.assign(new Error('database away'), { code: 'DATABASE_AWAY' });
    };
    expect(await outcome(engine, {}, interrupted)).toBe('DATABASE_AWAY');
  });

  it('LP-51 clear and explain reject', async () => {
    const { engine, store } = createTestEngine();
    failFrom(store, 1);
    await expect(engine.clear({ username: 'ada' })).rejects.toThrow(StoreUnavailableError);
    await expect(engine.explain({ username: 'ada' })).rejects.toThrow(StoreUnavailableError);
  });

  it('LP-51 a record of an unknown kind is 503', async () => {
    for (const text of ['', 'null', '{}', '5', '{"state":"open"}']) {
      const { engine, store } = createTestEngine();
      const calls = recordCalls(store);
      await outcome(engine);
      const { key } = calls.find((call) => call.key.includes('subject:'))!;
      await store.set(key, text, 60_000);
      expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_POLICY_UNAVAILABLE');
    }
  });
});

describe.each(stores.filter(([name]) => name !== 'memory'))('on %s', (_name, open, need) => {
  it.skipIf(lacks(need))('LP-52 after four failures and a crash, the fifth failure on a new server locks', async () => {
    const opened = await open();
    onTestFinished(() => opened.close());
    const [before, after] = opened.nodes;
    expect(tally(await inTurn(createLoginAttempts({ store: before }), 4))).toEqual({ failed: 4 });
    const restarted = createLoginAttempts({ store: after });
    expect(await inTurn(restarted, 2)).toEqual(['failed', 'LOGIN_LOCKED']);
  });
});
