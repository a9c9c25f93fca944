import bcrypt from 'bcryptjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import type { TaskReport } from '../src/hashing-task.js';
import { openHashingWorkers, TaskEndedError } from '../src/hashing-workers.js';
import { createPasswordHashing, PasswordHashingBusyError, type PasswordHashingOptions } from '../src/index.js';
import { readPasswordHashingOptions } from '../src/options.js';
import { openRecorded } from './recorded-workers.js';

/** What a pool has been given: one task at a time, which reports and ends when a test says so. */
function openOnSlowPool(options: PasswordHashingOptions) {
  let listen: (report: TaskReport) => void;
  let number = 0;
  let signal: AbortSignal;
  let end: (result: boolean) => void;
  const workers = openHashingWorkers(readPasswordHashingOptions(options), {
    run: (task, given) =>
      new Promise((resolve, reject) => {
        ({ number } = task);
        ({ signal } = given);
        end = resolve;
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    on: (_event, listener) => (listen = listener),
    async destroy() {},
  });
  const pool = {
    report: (event: TaskReport['event']) => listen({ number, event }),
    end: (result: boolean) => end(result),
    isEnded: () => signal.aborted,
  };
  return { passwords: openRecorded(options, workers.run), pool };
}

/** The result, or the error. */
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

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

  it.skipIf(lacks('thread-time'))(
    'PWD-5 PWD-3 at the configured cost is ended by the processor time of its thread, and refused with 503',
    async () => {
      const causes: unknown[] = [];
      const log = { error: ({ err }: { err?: Error }) => causes.push(err?.message) };
      const passwords = createPasswordHashing({ cost: 16, threads: 1, maxTaskMillis: 10, log });
      for (const task of [passwords.hash('secret'), passwords.verify('secret', null)]) {
        await expect(task).rejects.toBeInstanceOf(PasswordHashingBusyError);
      }
      expect(causes).toEqual(Array(2).fill('the task was ended after 10 ms of processor time'));
      await passwords.close();
    },
  );

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

describe('a task that a busy machine delays', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('PWD-5 at the configured cost is not ended by elapsed time, for 10 s', async () => {
    const { passwords, pool } = openOnSlowPool({ cost: 4 });
    const verified = passwords.verify('secret', expensive.replace('$20$', '$04$'));
    await vi.advanceTimersByTimeAsync(1000);
    pool.report('begun');
    await vi.advanceTimersByTimeAsync(8900);
    pool.end(true);
    expect(await verified).toBe(true);
    expect(passwords.lines).toEqual([]);
  });

  it('PWD-5 at the configured cost waits 10 s at most, with the start of its thread, and is refused with 503', async () => {
    const { passwords, pool } = openOnSlowPool({ cost: 20 });
    for (const stored of [expensive, null, 'malformed']) {
      const verified = outcomeOf(passwords.verify('secret', stored));
      await vi.advanceTimersByTimeAsync(4000);
      pool.report('begun');
      await vi.advanceTimersByTimeAsync(5900);
      expect(pool.isEnded()).toBe(false);
      await vi.advanceTimersByTimeAsync(200);
      expect(await verified).toBeInstanceOf(PasswordHashingBusyError);
    }
    expect(passwords.lines.filter((line) => line.includes('was not done'))).toHaveLength(3);
  });

  it('PWD-5 waits for as long as its processor time where that is more', async () => {
    const { passwords, pool } = openOnSlowPool({ cost: 20, maxTaskMillis: 30_000 });
    const hashed = outcomeOf(passwords.hash('secret'));
    await vi.advanceTimersByTimeAsync(29_900);
    expect(pool.isEnded()).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await hashed).toBeInstanceOf(PasswordHashingBusyError);
  });

  it('PWD-3 PWD-5 by a hash above the cost is a failed verification, 2 s after it began', async () => {
    const { passwords, pool } = openOnSlowPool({ cost: 4, maxCost: 20 });
    const verified = outcomeOf(passwords.verify('secret', expensive));
    await vi.advanceTimersByTimeAsync(5000);
    pool.report('begun');
    await vi.advanceTimersByTimeAsync(1900);
    expect(pool.isEnded()).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await verified).toBe(false);
  });

  it('PWD-5 that uses up its processor time is ended at once', async () => {
    const { passwords, pool } = openOnSlowPool({ cost: 4, maxCost: 20 });
    const atCost = outcomeOf(passwords.hash('secret'));
    await vi.advanceTimersByTimeAsync(0);
    pool.report('begun');
    pool.report('overdue');
    expect(await atCost).toBeInstanceOf(PasswordHashingBusyError);
    const above = outcomeOf(passwords.verify('secret', expensive));
    await vi.advanceTimersByTimeAsync(0);
    pool.report('begun');
    pool.report('overdue');
    expect(await above).toBe(false);
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
