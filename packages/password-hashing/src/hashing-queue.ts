import { PasswordHashingBusyError } from './errors.js';

/** Options of {@link createHashingQueue}. */
export interface HashingQueueOptions {
  readonly threads: number;
  readonly maxWaiting: number;
  /** In milliseconds. */
  readonly maxWaitMillis: number;
  readonly maxForClient: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
}

/** The size of a work. */
export interface WorkSize {
  /** In rounds of BCrypt. */
  readonly rounds: number;
  /** After which it ends in any case, in milliseconds. */
  readonly maxMillis: number;
}

/** Lets as many works run at a time as there are threads, and the others wait in the order of arrival. */
export interface HashingQueue {
  /**
   * Rejects with what the work rejects with, or with `PasswordHashingBusyError` if the work was not begun.
   *
   * @param client whose tasks are bounded; undefined: no bound
   */
  run<Result>(size: WorkSize, client: string | undefined, work: () => Promise<Result>): Promise<Result>;
  /** Refuses what waits, and all that comes. */
  close(): void;
}

interface Waiting {
  readonly expectedMillis: number;
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** What a round takes before any was measured, in milliseconds: about a quarter of a second at cost 12. */
const INITIAL_ROUND_MILLIS = 0.06;

/** What a task takes beside its rounds, in milliseconds: messages between threads, and the key schedule. */
const TASK_MILLIS = 1;

/** How much of the estimate comes from the last task. */
const LAST_TASK_SHARE = 0.2;

/** One task alone may say little: the first one of a thread waits for the start of the thread. */
const MAX_SURPRISE = 2;

/** A waiting task that was admitted on an estimate that was too low is refused after this many times the bound. */
const MAX_ESTIMATE_ERROR = 2;

export function createHashingQueue(options: HashingQueueOptions): HashingQueue {
  const { threads, maxWaiting, maxWaitMillis, maxForClient, now } = options;
  const waiting: Waiting[] = [];
  /** When each running work is expected to end. */
  const running = new Set<{ readonly endsAt: number }>();
  /** Tasks by client. A client without tasks has no entry. */
  const tasksOf = new Map<string, number>();
  let freeThreads = threads;
  let roundMillis = INITIAL_ROUND_MILLIS;
  let isClosed = false;

  const millisOf = ({ rounds, maxMillis }: WorkSize) => Math.min(maxMillis, TASK_MILLIS + rounds * roundMillis);

  function learn(lastRoundMillis: number): void {
    const believed = Math.min(lastRoundMillis, roundMillis * MAX_SURPRISE);
    roundMillis += (believed - roundMillis) * LAST_TASK_SHARE;
  }

  function expectedWaitMillis(): number {
    const time = now();
    let left = 0;
    for (const { endsAt } of running) left += Math.max(0, endsAt - time);
    for (const { expectedMillis } of waiting) left += expectedMillis;
    return left / threads;
  }

  function takeThread(size: WorkSize): Promise<void> | undefined {
    if (freeThreads > 0) {
      freeThreads--;
      return undefined;
    }
    if (waiting.length >= maxWaiting) throw new PasswordHashingBusyError('too many tasks wait for a worker');
    if (expectedWaitMillis() > maxWaitMillis) {
      throw new PasswordHashingBusyError(`a worker would not be free within ${maxWaitMillis} ms`);
    }
    return new Promise((begin, refuse) => {
      waiting.push({ expectedMillis: millisOf(size), since: now(), begin, refuse });
    });
  }

  function releaseThread(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (now() - next.since <= maxWaitMillis * MAX_ESTIMATE_ERROR) {
        next.begin();
        return;
      }
      next.refuse(new PasswordHashingBusyError('no worker was free in time'));
    }
    freeThreads++;
  }

  function takePlace(client: string): void {
    const tasks = tasksOf.get(client) ?? 0;
    if (tasks >= maxForClient) throw new PasswordHashingBusyError('the client has too many tasks');
    tasksOf.set(client, tasks + 1);
  }

  function releasePlace(client: string): void {
    const left = (tasksOf.get(client) ?? 1) - 1;
    if (left === 0) tasksOf.delete(client);
    else tasksOf.set(client, left);
  }

  async function measured<Result>(size: WorkSize, work: () => Promise<Result>): Promise<Result> {
    const began = now();
    const entry = { endsAt: began + millisOf(size) };
    running.add(entry);
    try {
      const result = await work();
      learn(Math.max(0, now() - began - TASK_MILLIS) / size.rounds);
      return result;
    } finally {
      running.delete(entry);
      releaseThread();
    }
  }

  return {
    async run(size, client, work) {
      if (isClosed) throw new PasswordHashingBusyError('the hashing is closed');
      if (client !== undefined) takePlace(client);
      try {
        await takeThread(size);
        return await measured(size, work);
      } finally {
        if (client !== undefined) releasePlace(client);
      }
    },

    close() {
      isClosed = true;
      for (const { refuse } of waiting.splice(0)) refuse(new PasswordHashingBusyError('the hashing is closed'));
    },
  };
}
