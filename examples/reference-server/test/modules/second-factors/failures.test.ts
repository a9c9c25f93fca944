import { LoginLockedError } from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify, { type FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFactorFailures } from '../../../src/modules/second-factors/index.js';

const [HOUR, DAY] = [3_600_000, 86_400_000];

describe('the wrong codes of an authenticator app', () => {
  const app = fastify({ logger: false });
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.setSystemTime(Date.UTC(2026, 10, 28)));
  afterAll(() => void vi.useRealTimers());

  const owner = { audience: 'admin', subject: 'id-1', username: 'li.hua' } as const;

  /** A guesser. Each list has the times of the guesses of one kind, in milliseconds. */
  function guesser() {
    const began = Date.UTC(2026, 10, 28);
    vi.setSystemTime(began);
    const locks: string[] = [];
    const store = createMemoryStore({ now: () => Date.now() });
    const failures = createFactorFailures(store, { log: app.log, noteLock: (kind) => locks.push(kind) });
    const compared: number[] = [];
    /** Guesses so often at a time, and stops at a lock. */
    async function guess(at: number, times: number, isRight = false): Promise<void> {
      vi.setSystemTime(began + at);
      for (let n = 0; n < times; n += 1) {
        const request = { clientIp: `203.0.113.${n}` } as FastifyRequest;
        const attempt = failures.attempt(owner, 'totp', request, async () => {
          if (!isRight) compared.push(at);
          return isRight || null;
        });
        if (
          await attempt.then(
            () => false,
            (error) => error instanceof LoginLockedError,
          )
        )
          return;
      }
    }
    const mostInADay = () =>
      Math.max(...compared.map((first) => compared.filter((at) => at >= first && at < first + DAY).length));
    return { guess, mostInADay, locks, compared };
  }

  it('MFA-2: at most 20 wrong codes are compared in any 24 hours, also across the end of a window', async () => {
    const { guess, mostInADay, locks } = guesser();
    for (const most of [7, 8, 9, 10]) {
      await guess((most - 7) * 5 * DAY, 1);
      await guess((most - 7) * 5 * DAY + DAY - HOUR, most - 1);
      await guess((most - 7) * 5 * DAY + DAY, 40);
      await guess((most - 7) * 5 * DAY + DAY + HOUR, 40);
    }
    expect(mostInADay()).toBeGreaterThanOrEqual(10);
    expect(mostInADay()).toBeLessThanOrEqual(20);
    expect(locks.length).toBeGreaterThan(0);
  });

  it('MFA-2: right codes between wrong ones do not raise it, and a lock is noted once', async () => {
    const { guess, mostInADay, locks, compared } = guesser();
    for (let hour = 0; hour < 48; hour += 1) {
      await guess(hour * HOUR, 2);
      await guess(hour * HOUR, 1, true);
    }
    expect(mostInADay()).toBeLessThanOrEqual(20);
    // Ten in the first hours, and ten once the lock has ended.
    expect(compared).toHaveLength(20);
    expect(locks).toEqual(['totp', 'totp']);
  });
});
