import { describe, expect, it } from 'vitest';
import { createTestEngine, gate, inTurn, outcome, RIGHT, recordCalls, tally, WRONG } from './guesses.js';

class CaptchaError extends Error {
  readonly code = 'CAPTCHA';
  readonly statusCode = 400;
}
const refused = () => Promise.reject(new CaptchaError());
const NEVER = () => Promise.reject(new Error('verified'));

describe('precheck', () => {
  it('LGN-13 100 attempts without a captcha leave the counters at zero, and refuse no attempt of the owner', async () => {
    const { engine } = createTestEngine({ policy: { accountFailureCount: 5, ipFailureCount: 5 } });
    const solved = gate<void>();
    const strangers = Array.from({ length: 100 }, () =>
      outcome(engine, {}, NEVER, { precheck: () => solved.opened.then(refused) }),
    );
    await new Promise(setImmediate);
    expect(await outcome(engine, {}, RIGHT, { precheck: async () => {} })).toBe('in');
    solved.open();
    expect(tally(await Promise.all(strangers))).toEqual({ CAPTCHA: 100 });
    const { counters } = await engine.explain({ username: 'ada', clientIp: '192.0.2.7' });
    for (const report of counters) expect(report).toMatchObject({ state: 'counting', failures: 0, inFlight: 0 });
  });

  it('LGN-13 whatever it rejects with reaches the caller, is neither counted nor logged, and no decider is asked', async () => {
    const log: object[] = [];
    const asked: unknown[] = [];
    const events: string[] = [];
    const { engine } = createTestEngine({
      policy: { failureCount: 1 },
      log: { error: (details) => log.push(details) },
      onEvent: ({ type }) => void events.push(type),
      isFailure: (outcome) => void asked.push(outcome),
    });
    for (const error of [
      new CaptchaError(),
      new Error('away'),
      Object.assign(new Error(), { statusCode: 401 }),
      null,
    ]) {
      const attempt = engine.attempt({ username: 'ada', terminal: 'web', clientIp: '192.0.2.7' }, NEVER, {
        precheck: () => Promise.reject(error),
      });
      expect(await attempt.catch((reason: unknown) => reason)).toBe(error);
    }
    expect([log, asked, events]).toEqual([[], [], []]);
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LGN-13 runs once, after name, whitelist and locks, and before any write', async () => {
    const { engine, store } = createTestEngine();
    const order: string[] = [];
    const precheck = async () => void order.push('precheck');
    await inTurn(engine, 5);
    const calls = recordCalls(store);
    for (const guess of [{}, { username: '' }, { terminal: 'x' }]) await outcome(engine, guess, NEVER, { precheck });
    expect(order).toEqual([]);
    calls.splice(0);
    const noting = async () => {
      expect(calls.every(({ verb }) => verb === 'get')).toBe(true);
      order.push('precheck');
    };
    await outcome(engine, { clientIp: '192.0.2.8' }, async () => void order.push('verify'), { precheck: noting });
    expect(order).toEqual(['precheck', 'verify']);
  });

  it('LGN-13 a lock that begins, and a window that ends, while it runs count', async () => {
    const { engine, clock } = createTestEngine();
    const lockMeanwhile = async () => void (await inTurn(engine, 5));
    expect(await outcome(engine, {}, NEVER, { precheck: lockMeanwhile })).toBe('LOGIN_LOCKED');

    clock.advance(600);
    await inTurn(engine, 1);
    clock.advance(599);
    // Each guess comes back when the window that it saw, and its tally, are gone.
    const slow = Array.from({ length: 20 }, () => outcome(engine, {}, WRONG, { precheck: () => ended.opened }));
    const ended = gate<void>();
    await new Promise(setImmediate);
    clock.advance(120);
    ended.open();
    expect(tally(await Promise.all(slow))).toEqual({ failed: 5, LOGIN_LOCKED: 15 });
  });

  it.each([false, true, null, 0, { ok: false }])(
    'LGN-13 an answer such as %o lets nobody in and counts nothing',
    async (answer) => {
      const { engine } = createTestEngine({ policy: { failureCount: 1 } });
      const precheck = (async () => answer) as unknown as () => Promise<void>;
      expect(await outcome(engine, {}, NEVER, { precheck })).toContain('precheck must resolve to undefined');
      expect(await outcome(engine, {}, RIGHT)).toBe('in');
    },
  );
});
