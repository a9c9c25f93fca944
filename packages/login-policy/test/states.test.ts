import { describe, expect, it } from 'vitest';
import { createTestEngine, gate, inTurn, outcome, RIGHT, recordCalls, retryAfter, tally, WRONG } from './guesses.js';

describe('counting', () => {
  it('LGN-2 failures below the count leave the state at counting', async () => {
    const { engine } = createTestEngine();
    expect(await inTurn(engine, 4)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-2 LP-01 after five wrong passwords the right one is refused until the lock ends', async () => {
    const { engine, clock } = createTestEngine();
    expect(tally(await inTurn(engine, 5))).toEqual({ failed: 5 });
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(599);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(1);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-2 LP-23 four failures in each of two windows do not lock', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 4);
    clock.advance(600);
    expect(await inTurn(engine, 4)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-2 the window begins with its first failure, and later failures do not prolong it', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 1);
    clock.advance(599);
    await inTurn(engine, 3);
    clock.advance(1);
    expect(tally(await inTurn(engine, 4))).toEqual({ failed: 4 });
    expect(tally(await inTurn(engine, 2))).toEqual({ failed: 1, LOGIN_LOCKED: 1 });
  });

  it('LGN-2 a success forgets the failures before it', async () => {
    const { engine } = createTestEngine();
    for (let round = 0; round < 3; round++) {
      expect(tally(await inTurn(engine, 4))).toEqual({ failed: 4 });
      expect(await outcome(engine, {}, RIGHT)).toBe('in');
    }
  });

  it('LGN-2 a failure count of 1 locks at the first failure, and never at a success', async () => {
    const { engine } = createTestEngine({ policy: { failureCount: 1 } });
    expect(tally(await inTurn(engine, 5, {}, RIGHT))).toEqual({ in: 5 });
    expect(await inTurn(engine, 2)).toEqual(['failed', 'LOGIN_LOCKED']);
  });

  it.each([null, undefined, false, 0, '', 0n, Number.NaN])(
    'LGN-2 a verification that resolves to %o is a failure, and attempt resolves to null',
    async (result) => {
      const { engine } = createTestEngine();
      const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
      expect(await engine.attempt(subject, async () => result)).toBeNull();
      expect(tally(await inTurn(engine, 5))).toEqual({ failed: 4, LOGIN_LOCKED: 1 });
    },
  );

  it('LGN-2 attempt resolves to the result of the verification', async () => {
    const { engine } = createTestEngine();
    const user = { id: 'u-1' };
    const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
    expect(await engine.attempt(subject, async () => user)).toBe(user);
  });
});

describe('locked', () => {
  it('LGN-2 a refused attempt is not verified and does not prolong the lock', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 5);
    let verified = 0;
    const verify = async () => {
      verified += 1;
      return { id: 'u-1' };
    };
    for (let second = 0; second < 599; second++) {
      expect(await outcome(engine, {}, verify)).toBe('LOGIN_LOCKED');
      clock.advance(1);
    }
    expect(verified).toBe(0);
    clock.advance(1);
    expect(await outcome(engine, {}, verify)).toBe('in');
  });

  it('LGN-2 a refused attempt reads four keys of the store and writes none', async () => {
    const { engine, store } = createTestEngine();
    await inTurn(engine, 5);
    const calls = recordCalls(store);
    expect(await outcome(engine)).toBe('LOGIN_LOCKED');
    expect(calls.map(({ verb }) => verb)).toEqual(['get', 'get', 'get', 'get']);
  });

  it('LGN-2 the counter is zero at the end of the lock, even if the window is longer', async () => {
    const { engine, clock } = createTestEngine({ policy: { lockSeconds: 10, failureWindowSeconds: 600 } });
    await inTurn(engine, 5);
    clock.advance(10);
    expect(tally(await inTurn(engine, 5))).toEqual({ failed: 5 });
    expect(await outcome(engine)).toBe('LOGIN_LOCKED');
  });

  it('LGN-2 the lock has its full length, even if the window ends earlier', async () => {
    const { engine, clock } = createTestEngine({ policy: { lockSeconds: 86_400, failureWindowSeconds: 1 } });
    await inTurn(engine, 5);
    clock.advance(86_399);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(1);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-3 retry-after is the rest of the lock in whole seconds, at least 1', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 5);
    expect(await retryAfter(engine)).toBe(600);
    clock.advance(0.5);
    expect(await retryAfter(engine)).toBe(600);
    clock.advance(599.4);
    expect(await retryAfter(engine)).toBe(1);
  });

  it('LGN-2 the lock begins with the last failure of the window, not with the first', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 4);
    clock.advance(500);
    await inTurn(engine, 1);
    clock.advance(599);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(1);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });
});

describe('an attempt that is being verified', () => {
  it('LGN-5 counts until its outcome is known, and refusals meanwhile have a short retry-after', async () => {
    const { engine } = createTestEngine({ policy: { failureCount: 1 } });
    const verdict = gate<{ id: string } | null>();
    const pending = outcome(engine, {}, () => verdict.opened);
    await new Promise(setImmediate);
    expect(await retryAfter(engine)).toBe(5);
    verdict.open({ id: 'u-1' });
    expect(await pending).toBe('in');
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-5 a right password that reserved a place signs in, and forgets the failures before it', async () => {
    const { engine } = createTestEngine();
    const verdicts = Array.from({ length: 5 }, () => gate<{ id: string } | null>());
    const pending = verdicts.map((verdict) => outcome(engine, {}, () => verdict.opened));
    await new Promise(setImmediate);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    for (const verdict of verdicts.slice(0, 4)) verdict.open(null);
    expect(tally(await Promise.all(pending.slice(0, 4)))).toEqual({ failed: 4 });
    verdicts[4]!.open({ id: 'u-1' });
    expect(await pending[4]).toBe('in');
    expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
  });

  it('LGN-5 one that never ends, as after a crash, counts until its window ends', async () => {
    const { engine, clock } = createTestEngine();
    const never = () => new Promise<null>(() => {});
    for (let n = 0; n < 2; n++) void outcome(engine, {}, never);
    await new Promise(setImmediate);
    expect(tally(await inTurn(engine, 10))).toEqual({ failed: 3, LOGIN_LOCKED: 7 });
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(600);
    expect(tally(await inTurn(engine, 10))).toEqual({ failed: 5, LOGIN_LOCKED: 5 });
  });

  it('LGN-5 outcomes after the end of their window allow no more guesses in the next one', async () => {
    const { engine, clock } = createTestEngine();
    for (const late of [WRONG, RIGHT, () => Promise.reject(new Error('away'))]) {
      const verdicts = Array.from({ length: 5 }, () => gate<void>());
      const pending = verdicts.map((verdict) => outcome(engine, {}, () => verdict.opened.then(late)));
      await new Promise(setImmediate);
      clock.advance(600);
      await inTurn(engine, 2);
      for (const verdict of verdicts) verdict.open();
      await Promise.all(pending);
      expect(tally(await inTurn(engine, 10))).toEqual({ failed: 3, LOGIN_LOCKED: 7 });
      clock.advance(7200);
    }
  });

  it('LGN-5 releases after the tally has expired leave no negative count', async () => {
    const { engine, clock } = createTestEngine({ policy: { failureCount: 100, accountFailureCount: 0 } });
    const verdicts = Array.from({ length: 100 }, () => gate<void>());
    const pending = verdicts.map((verdict) =>
      outcome(engine, {}, () => verdict.opened.then(() => Promise.reject(new Error('away')))),
    );
    await new Promise(setImmediate);
    clock.advance(3600);
    for (const verdict of verdicts) verdict.open();
    await Promise.all(pending);
    expect(tally(await inTurn(engine, 150))).toEqual({ failed: 100, LOGIN_LOCKED: 50 });
  });
});
