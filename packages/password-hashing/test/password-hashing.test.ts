import { readFile } from 'node:fs/promises';
import bcrypt from 'bcryptjs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createPasswordHashing,
  isHashable,
  PasswordHashingBusyError,
  type PasswordHashingOptions,
} from '../src/index.js';

/** The longest bounds there are, for a busy machine. */
const patient = { maxTaskMillis: 60_000, maxWaitMillis: 60_000 };

function open(options: PasswordHashingOptions) {
  const passwords = createPasswordHashing({ threads: 1, ...patient, ...options });
  onTestFinished(() => passwords.close());
  return passwords;
}

describe('password hashing', () => {
  const passwords = createPasswordHashing({ cost: 4, threads: 1, ...patient });
  afterAll(() => passwords.close());

  it('ADM-7 hashes are salted BCrypt of the configured cost and verify', async () => {
    const [one, other] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
    expect(one).toMatch(/^\$2b\$04\$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify('secret', one)).toBe(true);
    expect(await passwords.verify('Secret', one)).toBe(false);
    expect(await passwords.verify('secret', null)).toBe(false);
  });

  it('PWD-3 only a hash that can be verified and has a lower cost is outdated', async () => {
    const stricter = open({ cost: 5 });
    const weak = bcrypt.hashSync('x', 4);
    expect(passwords.isOutdated(weak)).toBe(false);
    expect(stricter.isOutdated(weak)).toBe(true);
    expect(stricter.isOutdated(bcrypt.hashSync('x', 6))).toBe(false);
    for (const stored of [null, undefined, 7, '', '$2$04$', weak.slice(1), weak.replace('2b', '2x')]) {
      expect(stricter.isOutdated(stored as string)).toBe(false);
    }
  });

  it('PWD-3 a hash is replaced when the cost has risen: verify, isOutdated, hash', async () => {
    const stored = await passwords.hash('secret');
    const stricter = open({ cost: 5 });
    expect(await stricter.verify('secret', stored)).toBe(true);
    expect(stricter.isOutdated(stored)).toBe(true);
    const replaced = await stricter.hash('secret');
    expect(await stricter.verify('secret', replaced)).toBe(true);
    expect(stricter.isOutdated(replaced)).toBe(false);
    // After the cost was lowered again, the hash is above it. It is verified, and stays.
    expect(await passwords.verify('secret', replaced)).toBe(true);
    expect(passwords.isOutdated(replaced)).toBe(false);
  });

  it('LP-47 ADM-7 passwords that BCrypt would truncate or confuse are refused: over 72 bytes, empty, with NUL, ill-formed', async () => {
    expect(isHashable('a'.repeat(72))).toBe(true);
    expect(isHashable('a'.repeat(73))).toBe(false);
    expect(isHashable('密'.repeat(24))).toBe(true);
    expect(isHashable('密'.repeat(25))).toBe(false);
    expect(['', 'a\0a', '\ud800', 'x'.repeat(1e6), 7, null, ['a']].map(isHashable)).toEqual(Array(7).fill(false));
    await expect(passwords.hash('a'.repeat(73))).rejects.toThrow('72 bytes');
    const first72 = await passwords.hash('a'.repeat(72));
    expect(await passwords.verify(`${'a'.repeat(72)}b`, first72)).toBe(false);
    for (const password of [undefined, 7, { length: 3 }, ['secret']]) {
      expect(await passwords.verify(password as string, first72)).toBe(false);
    }
  });

  it('ADM-7 hashing does not block the event loop', async () => {
    const slow = open({ cost: 11 });
    await slow.hash('warm');
    const order: string[] = [];
    // After input or output the event loop runs `setImmediate` before it looks at what workers have sent.
    await readFile(new URL(import.meta.url));
    const hashed = slow.hash('secret').then(() => order.push('hash'));
    setImmediate(() => order.push('turn of the event loop'));
    await hashed;
    expect(order).toEqual(['turn of the event loop', 'hash']);
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

  it('PWD-3 one client cannot occupy all workers', async () => {
    const small = open({ cost: 8, maxForClient: 2 });
    const stored = await small.hash('secret');
    const greedy = Array.from({ length: 10 }, () => small.verify('wrong', stored, 'greedy'));
    const [other, ...outcomes] = await Promise.allSettled([small.verify('secret', stored, 'other'), ...greedy]);
    expect(other).toEqual({ status: 'fulfilled', value: true });
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', ...Array(8).fill('rejected')]);
    expect(await small.verify('secret', stored, 'greedy')).toBe(true);
  });

  it('PWD-3 close() while tasks run and wait: all of them, and later ones, are refused with 503', async () => {
    const closing = createPasswordHashing({ cost: 15, threads: 2 });
    const tasks = Promise.allSettled([
      ...Array.from({ length: 4 }, () => closing.hash('secret')),
      closing.verify('secret', null),
    ]);
    await closing.close();
    for (const outcome of await tasks) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { statusCode: 503, code: 'PASSWORD_WORKERS_BUSY' } });
    }
    await expect(closing.hash('secret')).rejects.toBeInstanceOf(PasswordHashingBusyError);
    await expect(closing.verify('secret', null)).rejects.toBeInstanceOf(PasswordHashingBusyError);
    await closing.close();
  });

  it('PWD-3 a refusal carries its status, its code and when to try again', () => {
    expect(new PasswordHashingBusyError('a reason')).toMatchObject({
      statusCode: 503,
      code: 'PASSWORD_WORKERS_BUSY',
      retryAfterSeconds: 2,
      headers: { 'retry-after': '2' },
      cause: { message: 'a reason' },
    });
  });

  it('PWD-3 options that contradict each other are refused', () => {
    expect(() => createPasswordHashing({ cost: 12, maxCost: 11 })).toThrow('maxCost must not be less than cost');
  });
});
