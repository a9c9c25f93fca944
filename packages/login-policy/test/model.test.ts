import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { createLoginAttempts, LOGIN_POLICY_DEFAULTS, LoginLockedError, type LoginPolicy } from '../src/index.js';
import { createTestEngine, RIGHT, TestClock, WRONG } from './guesses.js';

/*
 * A second, simple implementation of the table 'Login lock': for each counter the time of its first failure, the number
 * of failures, and the end of its lock. It uses nothing of the engine.
 */
type Counter = { failures: number; since: number; lockedUntil: number };

class Model {
  readonly counters = new Map<string, Counter>();

  at(key: string, now: number, windowMillis: number): Counter {
    const counter = this.counters.get(key) ?? { failures: 0, since: now, lockedUntil: 0 };
    const isOver = counter.lockedUntil > 0 ? counter.lockedUntil <= now : counter.since + windowMillis <= now;
    const present = isOver ? { failures: 0, since: now, lockedUntil: 0 } : counter;
    this.counters.set(key, present);
    return present;
  }

  attempt(keys: readonly (readonly [key: string, limit: number])[], right: boolean, now: number, policy: LoginPolicy) {
    const lockMillis = policy.lockSeconds * 1000;
    const counters = keys
      .filter(([, limit]) => limit > 0)
      .map(([key, limit]) => ({ key, limit, counter: this.at(key, now, policy.failureWindowSeconds * 1000) }));
    const locks = counters.map(({ counter }) => counter.lockedUntil).filter((until) => until > 0);
    if (locks.length > 0) return `locked ${Math.ceil((Math.max(...locks) - now) / 1000)}`;
    // A lowered limit takes effect at once.
    const full = counters.find(({ counter, limit }) => counter.failures >= limit);
    if (full !== undefined) {
      full.counter.lockedUntil = now + lockMillis;
      return `locked ${policy.lockSeconds}`;
    }
    if (right) {
      this.counters.delete(keys[0]![0]);
      return 'in';
    }
    for (const { counter, limit } of counters) {
      counter.failures += 1;
      if (counter.failures >= limit) counter.lockedUntil = now + lockMillis;
    }
    return 'failed';
  }

  clear(account: string): void {
    for (const key of this.counters.keys()) if (key.startsWith(`${account}@`)) this.counters.delete(key);
  }
}

const USERS = ['ada', 'bob'];
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('attempt' as const),
      username: fc.constantFrom(...USERS),
      clientIp: fc.constantFrom(...ADDRESSES),
      right: fc.constantFrom(true, false, false, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('wait' as const), millis: fc.integer({ min: 1, max: 9000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const), username: fc.constantFrom(...USERS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('limit' as const), failureCount: fc.integer({ min: 1, max: 4 }) }),
  },
);

const limits = fc.record({
  failureWindowSeconds: fc.integer({ min: 1, max: 20 }),
  failureCount: fc.integer({ min: 1, max: 4 }),
  lockSeconds: fc.integer({ min: 1, max: 20 }),
  failureIncludeIpEnabled: fc.boolean(),
  accountFailureCount: fc.integer({ min: 0, max: 6 }),
  ipFailureCount: fc.integer({ min: 0, max: 8 }),
});

describe('the engine and the table', () => {
  it('LGN-2 LGN-3 LGN-6 LGN-7 agree on every sequence of attempts, clears, changes of the limit and time', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(command, { maxLength: 80 }), async (drawn, commands) => {
        let policy: LoginPolicy = { ...LOGIN_POLICY_DEFAULTS, ...drawn };
        const { engine, clock } = createTestEngine({ policy: () => policy });
        const model = new Model();
        for (const step of commands) {
          if (step.type === 'wait') clock.millis += step.millis;
          if (step.type === 'limit') policy = { ...policy, failureCount: step.failureCount };
          if (step.type === 'clear') {
            await engine.clear({ username: step.username });
            model.clear(step.username);
          }
          if (step.type !== 'attempt') continue;
          const { username, clientIp, right } = step;
          const address = policy.failureIncludeIpEnabled ? clientIp : 'any';
          const keys = [
            [`${username}@${address}`, policy.failureCount],
            [`${username}@`, policy.accountFailureCount],
            [clientIp, policy.ipFailureCount],
          ] as const;
          const expected = model.attempt(keys, right, clock.millis, policy);
          const result = await engine
            .attempt({ username, terminal: 'web', clientIp }, right ? RIGHT : WRONG)
            .then((user) => (user === null ? 'failed' : 'in'))
            .catch((error: unknown) =>
              error instanceof LoginLockedError ? `locked ${error.retryAfterSeconds}` : String(error),
            );
          if (result !== expected) throw new Error(`the engine says '${result}', the table '${expected}'`);
        }
      }),
      { numRuns: cases(300) },
    );
  }, 60_000);

  it('LGN-5 of parallel attempts of every kind never more than the limit are verified in a window', async () => {
    const parallel = fc.record({
      failureCount: fc.integer({ min: 1, max: 6 }),
      kinds: fc.array(fc.constantFrom('wrong', 'throws 503', 'throws 401', 'irrelevant', 'refused terminal'), {
        minLength: 1,
        maxLength: 40,
      }),
      delays: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(parallel, fc.scheduler(), async ({ failureCount, kinds, delays }, scheduler) => {
        const clock = new TestClock();
        const { store } = createTestEngine();
        const scheduled = Object.fromEntries(
          Object.entries(store).map(([verb, call]) => [
            verb,
            typeof call === 'function' ? scheduler.scheduleFunction(call as () => Promise<unknown>) : call,
          ]),
        ) as unknown as typeof store;
        const engine = createLoginAttempts({
          store: scheduled,
          now: clock.now,
          policy: { failureCount },
          isFailure: ({ error }) => (error === 'irrelevant' ? false : undefined),
        });
        let inFlight = 0;
        let failures = 0;
        let kept = 0;
        let most = 0;
        const verify = (kind: string, delay: number) => async () => {
          inFlight += 1;
          most = Math.max(most, failures + inFlight + kept);
          for (let turn = 0; turn < delay; turn++) await Promise.resolve();
          inFlight -= 1;
          if (kind === 'irrelevant') throw kind;
          if (kind === 'throws 503') {
            kept += 1;
            throw Object.assign(new Error('away'), { statusCode: 503 });
          }
          failures += 1;
          if (kind === 'throws 401') throw Object.assign(new Error('wrong'), { status: 401 });
          return null;
        };
        const attempts = kinds.map((kind, index) =>
          engine
            .attempt(
              { username: 'ada', terminal: kind === 'refused terminal' ? 'x' : 'web', clientIp: '192.0.2.7' },
              verify(kind, delays[index % delays.length]!),
            )
            .catch(() => null),
        );
        await scheduler.waitFor(Promise.all(attempts));
        if (most > failureCount) throw new Error(`${most} were verified, with a limit of ${failureCount}`);
        const wrong = kinds.filter((kind) => kind === 'wrong' || kind === 'throws 401').length;
        const isExact = !kinds.includes('throws 503') && !kinds.includes('irrelevant');
        if (isExact && failures !== Math.min(wrong, failureCount)) throw new Error(`${failures} of ${wrong} verified`);
      }),
      { numRuns: cases(200) },
    );
  }, 60_000);
});
