import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { TaskEndedError } from '../src/hashing-workers.js';
import { createPasswordHashing, PasswordHashingBusyError } from '../src/index.js';
import { openRecorded } from './recorded-workers.js';

const expensive = bcrypt.hashSync('secret', 4).replace('$04$', '$20$');

describe('a task that runs too long', () => {
  const end = async () => {
    throw new TaskEndedError('the task was ended');
  };

  it('PWD-3 by an expensive hash is a failed verification, and an error in the log', async () => {
    const passwords = openRecorded({ cost: 4, maxCost: 20 }, end);
    expect(await passwords.verify('secret', expensive)).toBe(false);
    expect(passwords.lines).toEqual([
      expect.stringContaining('has a cost of 20, which took longer than maxTaskMillis'),
    ]);
  });

  it('PWD-3 at the configured cost is the fault of the machine: 503, for known and unknown accounts alike', async () => {
    const passwords = openRecorded({ cost: 20 }, end);
    for (const stored of [expensive, null, 'malformed']) {
      await expect(passwords.verify('secret', stored)).rejects.toBeInstanceOf(PasswordHashingBusyError);
    }
    await expect(passwords.hash('secret')).rejects.toBeInstanceOf(PasswordHashingBusyError);
    expect(passwords.lines.filter((line) => line.includes('was not done'))).toHaveLength(4);
  });

  it('PWD-3 is ended with its worker, and the next task has a fresh one', async () => {
    const lines: string[] = [];
    const log = { error: (_details: object, message: string) => lines.push(message) };
    const passwords = createPasswordHashing({ cost: 4, maxCost: 31, threads: 1, maxTaskMillis: 500, log });
    const stored = await passwords.hash('secret');
    const began = performance.now();
    const extreme = stored.replace('$04$', '$31$');
    const verified = [passwords.verify('secret', extreme), passwords.verify('secret', stored)];
    expect(await Promise.all(verified)).toEqual([false, true]);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(lines).toEqual([
      'A stored password hash has a cost of 31, which took longer than maxTaskMillis. Its verification failed.',
    ]);
    expect(await passwords.verify('secret', stored)).toBe(true);
    await passwords.close();
  });
});

describe('a worker that is lost', () => {
  it('PWD-3 refuses its task with 503 and an error in the log, without hash and password', async () => {
    const passwords = openRecorded({ cost: 4 }, () => Promise.reject(new Error('the worker ran out of memory')));
    const stored = bcrypt.hashSync('secret', 4);
    await expect(passwords.verify('secret', stored)).rejects.toMatchObject({ statusCode: 503 });
    expect(passwords.lines).toEqual([expect.stringContaining('was not done')]);
    expect(passwords.lines.join()).not.toContain('secret');
    expect(passwords.lines.join()).not.toContain(stored.slice(7, 20));
  });
});
