import { describe, expect, it, onTestFinished } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import { createLoginAttempts, type LoginPolicyEvent } from '../src/index.js';
import { gate, outcome, RIGHT, tally } from './guesses.js';

describe.each(stores)('on %s, two nodes', (_name, open, need) => {
  async function openEngines(onEvent: (event: LoginPolicyEvent) => void = () => {}) {
    const opened = await open();
    onTestFinished(() => opened.close());
    return opened.nodes.map((store) => createLoginAttempts({ store, onEvent })) as [Engine, Engine];
  }
  type Engine = ReturnType<typeof createLoginAttempts>;

  it.skipIf(lacks(need))(
    'LGN-5 of 100 parallel wrong guesses exactly 5 are verified, and one lock begins',
    async () => {
      const events: LoginPolicyEvent[] = [];
      const engines = await openEngines((event) => void events.push(event));
      for (const username of ['ada', 'bob', 'eve']) {
        let verified = 0;
        const guess = async () => {
          verified += 1;
          await new Promise(setImmediate);
          return null;
        };
        const outcomes = await Promise.all(
          Array.from({ length: 100 }, (_, n) => outcome(engines[n % 2]!, { username }, guess)),
        );
        expect(verified).toBe(5);
        expect(tally(outcomes)).toEqual({ failed: 5, LOGIN_LOCKED: 95 });
        expect(await outcome(engines[0], { username }, RIGHT)).toBe('LOGIN_LOCKED');
        expect(await outcome(engines[1], { username }, RIGHT)).toBe('LOGIN_LOCKED');
      }
      const locks = events.filter(({ type }) => type === 'locked');
      expect(locks.map((event) => event.type === 'locked' && event.account.username)).toEqual(['ada', 'bob', 'eve']);
    },
    60_000,
  );

  it.skipIf(lacks(need))(
    'LGN-6 LP-12 of 100 parallel guesses from 100 addresses exactly 20 are verified',
    async () => {
      const engines = await openEngines();
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, n) => outcome(engines[n % 2]!, { clientIp: `192.0.2.${n}` })),
      );
      expect(tally(outcomes)).toEqual({ failed: 20, LOGIN_LOCKED: 80 });
    },
    60_000,
  );

  it.skipIf(lacks(need))(
    'LGN-5 released attempts allow exactly as many others',
    async () => {
      const engines = await openEngines();
      const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
      const isFailure = () => false;
      const refuse = () => Promise.reject(new Error('captcha'));
      for (let round = 0; round < 3; round++) {
        const attempts = Array.from({ length: 30 }, (_, n) => engines[n % 2]!.attempt(subject, refuse, { isFailure }));
        await Promise.allSettled(attempts);
      }
      const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => outcome(engines[n % 2]!)));
      expect(tally(outcomes)).toEqual({ failed: 5, LOGIN_LOCKED: 25 });
    },
    60_000,
  );

  it.skipIf(lacks(need))('LGN-7 a clear on one node unlocks the other at once', async () => {
    const engines = await openEngines();
    await Promise.all(Array.from({ length: 10 }, () => outcome(engines[0])));
    expect(await outcome(engines[1], {}, RIGHT)).toBe('LOGIN_LOCKED');
    await engines[0].clear({ username: 'Ada' });
    expect(await outcome(engines[1], {}, RIGHT)).toBe('in');
  });

  it.skipIf(lacks(need))(
    'LGN-7 attempts in flight during a clear neither lock nor unlock anything after it',
    async () => {
      const engines = await openEngines();
      const late = gate<null>();
      let verifying = 0;
      const pending = Array.from({ length: 5 }, () =>
        outcome(engines[0], {}, () => {
          verifying += 1;
          return late.opened;
        }),
      );
      await expect.poll(() => verifying, { timeout: 10_000 }).toBe(5);
      expect(await outcome(engines[1], {}, RIGHT)).toBe('LOGIN_LOCKED');
      await engines[1].clear({ username: 'ada' });
      expect(tally([await outcome(engines[0]), await outcome(engines[1])])).toEqual({ failed: 2 });
      late.open(null);
      expect(tally(await Promise.all(pending))).toEqual({ failed: 5 });
      const after = await Promise.all(Array.from({ length: 20 }, (_, n) => outcome(engines[n % 2]!)));
      expect(tally(after)).toEqual({ failed: 3, LOGIN_LOCKED: 17 });
    },
    60_000,
  );
});
