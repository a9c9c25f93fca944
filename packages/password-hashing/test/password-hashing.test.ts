import bcrypt from 'bcryptjs';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import work from '../../../src/modules/passwords/bcrypt-worker.js';
import { PasswordWorkersBusyError } from '../../../src/modules/passwords/errors.js';
import { createPasswordHashing, isHashable, randomHash } from '../../../src/modules/passwords/password-hashing.js';

describe('password hashing', () => {
  const passwords = createPasswordHashing({ cost: 4, threads: 1 });
  afterAll(() => passwords.close());

  it('ADM-7 hashes are salted BCrypt of the configured cost and verify', async () => {
    const [one, other] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
    expect(one).toMatch(/^\$2b\$04\$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify('secret', one)).toBe(true);
    expect(await passwords.verify('Secret', one)).toBe(false);
  });

  it('ADM-7 a hash of lower cost is outdated, one of the same or higher cost is not', async () => {
    expect(passwords.isOutdated(await bcrypt.hash('x', 4))).toBe(false);
    const stricter = createPasswordHashing({ cost: 5, threads: 1 });
    expect(stricter.isOutdated(await bcrypt.hash('x', 4))).toBe(true);
    await stricter.close();
  });

  it('ADM-3 a wrong password costs the same work for an unknown name, a known one, and one with a hash of an earlier, lower cost', async () => {
    const compare = vi.spyOn(bcrypt, 'compareSync');
    const hash = vi.spyOn(bcrypt, 'hashSync');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const roundsFor = (stored: string) => {
      compare.mockClear();
      hash.mockClear();
      expect(work({ password: 'wrong', cost: 8, hash: stored })).toBe(false);
      const compared = compare.mock.calls.map(([, against]) => bcrypt.getRounds(against));
      const hashed = hash.mock.calls.map(([, cost]) => Number(cost));
      return [...compared, ...hashed].reduce((sum, cost) => sum + 2 ** cost, 0);
    };
    expect(roundsFor(randomHash(8))).toBe(2 ** 8);
    expect(roundsFor(bcrypt.hashSync('secret', 8))).toBe(2 ** 8);
    expect(roundsFor(bcrypt.hashSync('secret', 5))).toBe(2 ** 8);
    expect(await passwords.verify('secret', null)).toBe(false);
  });

  it('LP-47 ADM-7 passwords that BCrypt would truncate or confuse are refused: over 72 bytes, empty, with NUL, ill-formed', async () => {
    expect(isHashable('a'.repeat(72))).toBe(true);
    expect(isHashable('a'.repeat(73))).toBe(false);
    expect(isHashable('密'.repeat(24))).toBe(true);
    expect(isHashable('密'.repeat(25))).toBe(false);
    expect(['', 'a\0a', '\ud800'].map(isHashable)).toEqual([false, false, false]);
    await expect(passwords.hash('a'.repeat(73))).rejects.toThrow('72 bytes');
    const first72 = await passwords.hash('a'.repeat(72));
    expect(await passwords.verify(`${'a'.repeat(72)}b`, first72)).toBe(false);
  });

  it('ADM-7 hashing does not block the event loop', async () => {
    const slow = createPasswordHashing({ cost: 11, threads: 1 });
    await slow.hash('warm');
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 5);
    await slow.hash('secret');
    clearInterval(timer);
    await slow.close();
    expect(turns).toBeGreaterThan(3);
  });

  it('ADM-7 the workers serve requests in the order of arrival', async () => {
    const served: number[] = [];
    let asked = 0;
    async function keepAsking(): Promise<void> {
      while (asked < 40) {
        const number = asked++;
        await passwords.hash('secret');
        served.push(number);
      }
    }
    await Promise.all(Array.from({ length: 6 }, keepAsking));
    expect(served).toEqual(Array.from({ length: 40 }, (_, number) => number));
  });

  it('ADM-7 the queue is bounded: beyond it a sign-in is refused with 503 at once', async () => {
    const small = createPasswordHashing({ cost: 8, threads: 1, maxWaiting: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => small.hash('secret')));
    await small.close();
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(15);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(PasswordWorkersBusyError);
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('ADM-7 a short burst of fast hashes is not refused', async () => {
    const quick = createPasswordHashing({ cost: 4, threads: 1 });
    await expect(Promise.all(Array.from({ length: 200 }, () => quick.hash('secret')))).resolves.toHaveLength(200);
    await quick.close();
  });

  it('ADM-7 one client cannot occupy all workers', async () => {
    const small = createPasswordHashing({ cost: 8, threads: 1, maxForClient: 2 });
    const stored = await small.hash('secret');
    const greedy = Array.from({ length: 10 }, () => small.verify('wrong', stored, 'greedy'));
    const [other, ...outcomes] = await Promise.allSettled([small.verify('secret', stored, 'other'), ...greedy]);
    expect(other).toEqual({ status: 'fulfilled', value: true });
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      ...Array.from({ length: 8 }, () => 'rejected'),
    ]);
    expect(await small.verify('secret', stored, 'greedy')).toBe(true);
    await small.close();
  });
});
