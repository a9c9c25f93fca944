import { describe, expect, it } from 'vitest';
import { createHashingQueue, type HashingQueueOptions } from '../src/hashing-queue.js';
import { PasswordHashingBusyError } from '../src/index.js';

/** At first, a work of this many rounds is expected to take 246 ms: cost 12. */
const ROUNDS = 2 ** 12;
/** In milliseconds. */
const MAX_MILLIS = 2000;

/** A queue whose clock stands still until a test moves it, with works that end when a test says so. */
function open(options: Partial<HashingQueueOptions> = {}) {
  let time = 0;
  const queue = createHashingQueue({
    threads: 1,
    maxWaiting: 1000,
    maxWaitMillis: 1000,
    maxForClient: 100,
    now: () => time,
    ...options,
  });
  const running: (() => void)[] = [];
  const outcomes: string[] = [];
  const work = () => new Promise<void>((end) => running.push(end));
  /** Resolves once the queue has taken or refused it. */
  async function add(name: string, client?: string, rounds = ROUNDS): Promise<void> {
    queue.run({ rounds, maxMillis: MAX_MILLIS }, client, work).then(
      () => outcomes.push(`${name} done`),
      (error: unknown) => outcomes.push(error instanceof PasswordHashingBusyError ? `${name} busy` : `${name} failed`),
    );
    await settle();
  }
  async function endFirst(millis: number): Promise<void> {
    time += millis;
    running.shift()?.();
    await settle();
  }
  return { queue, add, endFirst, running, outcomes };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('the queue of the password hashing', () => {
  it('PWD-3 refuses at once what would be more than maxWaiting', async () => {
    const { add, endFirst, outcomes, running } = open({ threads: 2, maxWaiting: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(name);
    expect(running).toHaveLength(2);
    expect(outcomes).toEqual(['e busy']);
    await endFirst(200);
    await add('f');
    await add('g');
    expect(outcomes).toEqual(['e busy', 'a done', 'g busy']);
  });

  it('PWD-3 a short burst of fast hashes is not refused', async () => {
    const { add, endFirst, outcomes } = open({ maxWaitMillis: 4000 });
    for (let number = 0; number < 200; number += 1) await add(`${number}`, undefined, 2 ** 4);
    for (let number = 0; number < 200; number += 1) await endFirst(2);
    expect(outcomes).toEqual(Array.from({ length: 200 }, (_, number) => `${number} done`));
  });

  it('PWD-3 refuses at once what could not begin within maxWaitMillis', async () => {
    const { add, endFirst, outcomes } = open({ maxWaitMillis: 1000 });
    // One runs, and four wait: 5 × 246 ms.
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await add(name);
    expect(outcomes).toEqual(['f busy']);
    await endFirst(246);
    await add('g');
    await add('h');
    expect(outcomes).toEqual(['f busy', 'a done', 'h busy']);
  });

  it('PWD-3 expects the times of the last tasks', async () => {
    const { add, endFirst, outcomes } = open({ maxWaitMillis: 1000 });
    // The machine is four times as slow as expected.
    for (let number = 0; number < 30; number += 1) {
      await add(`slow ${number}`);
      await endFirst(1000);
    }
    outcomes.length = 0;
    for (const name of ['a', 'b', 'c']) await add(name);
    expect(outcomes).toEqual(['c busy']);
    // It recovers.
    for (let number = 0; number < 30; number += 1) {
      await endFirst(100);
      await add(`fast ${number}`);
    }
    outcomes.length = 0;
    for (const name of ['d', 'e', 'f', 'g']) await add(name);
    expect(outcomes).toEqual([]);
  });

  it('PWD-3 refuses what was admitted on a wrong estimate once its turn comes too late', async () => {
    const { add, endFirst, outcomes, running } = open({ maxWaitMillis: 1000 });
    for (const name of ['a', 'b', 'c']) await add(name);
    await endFirst(1500);
    await endFirst(1500);
    expect(outcomes.sort()).toEqual(['a done', 'b done', 'c busy']);
    expect(running).toHaveLength(0);
    await add('d');
    await endFirst(1);
    expect(outcomes.at(-1)).toBe('d done');
  });

  it('PWD-3 an idle worker takes any work, however long the last ones took', async () => {
    const { add, endFirst, outcomes } = open({ maxWaitMillis: 1 });
    await add('a', undefined, 2 ** 31);
    await add('b');
    await endFirst(60_000);
    await add('c');
    await endFirst(1);
    expect(outcomes).toEqual(['b busy', 'a done', 'c done']);
  });

  it('PWD-5 PWD-3 one work after the other is never refused, however slow the machine and small the bounds', async () => {
    const { add, endFirst, outcomes } = open({ maxWaiting: 1, maxWaitMillis: 1, maxForClient: 1 });
    for (let number = 0; number < 100; number += 1) {
      await add(`${number}`, 'a client');
      await endFirst(10_000);
    }
    expect(outcomes).toEqual(Array.from({ length: 100 }, (_, number) => `${number} done`));
  });

  it('PWD-3 expects of no work that it takes longer than its bound, after which it is ended', async () => {
    const { add, outcomes } = open({ maxWaitMillis: 4000 });
    await add('a', undefined, 2 ** 31);
    await add('b', undefined, 2 ** 31);
    await add('c');
    await add('d');
    expect(outcomes).toEqual(['d busy']);
  });

  it('PWD-3 a client has at most maxForClient waiting and running works, others are served', async () => {
    const { add, endFirst, outcomes } = open({ maxForClient: 2 });
    for (const name of ['a', 'b', 'c']) await add(name, 'greedy');
    await add('d', 'other');
    expect(outcomes).toEqual(['c busy']);
    for (let ended = 0; ended < 3; ended += 1) await endFirst(1);
    await add('e', 'greedy');
    await endFirst(1);
    expect(outcomes).toEqual(['c busy', 'a done', 'b done', 'd done', 'e done']);
  });

  it('PWD-3 a work that fails gives back its worker and its place', async () => {
    const { queue, add, endFirst, outcomes } = open({ maxForClient: 1 });
    const failing = queue.run({ rounds: ROUNDS, maxMillis: MAX_MILLIS }, 'a client', () =>
      Promise.reject(new Error('lost')),
    );
    await expect(failing).rejects.toThrow('lost');
    await add('a', 'a client');
    await endFirst(1);
    expect(outcomes).toEqual(['a done']);
  });

  it('PWD-3 a closed queue refuses what waits and what comes; what runs goes on', async () => {
    const { queue, add, endFirst, outcomes } = open();
    for (const name of ['a', 'b', 'c']) await add(name);
    queue.close();
    await settle();
    expect(outcomes).toEqual(['b busy', 'c busy']);
    await add('d');
    await endFirst(1);
    expect(outcomes).toEqual(['b busy', 'c busy', 'd busy', 'a done']);
  });
});
