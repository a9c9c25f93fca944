import { PasswordHashingBusyError } from './errors.js';

/** Options of {@link createHashingQueue}. */
export interface HashingQueueOptions {
  readonly threads: number;
  readonly maxWaiting: number;
  /** The limit of the expected wait, in milliseconds. */
  readonly maxWaitMillis: number;
  readonly maxForClient: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
}

/** The size of a task. */
export interface WorkSize {
  /** The number of rounds of BCrypt. */
  readonly rounds: number;
  /** The time after which the task ends in any case, in milliseconds. */
  readonly maxMillis: number;
}

/** Runs as many tasks at a time as there are threads. The others wait in the order of arrival. */
export interface HashingQueue {
  /**
   * Rejects with the error of the work, or with `PasswordHashingBusyError` if the work was not begun.
   *
   * @param client the client whose tasks are bounded; undefined: no bound
   */
  run<Result>(size: WorkSize, client: string | undefined, work: () => Promise<Result>): Promise<Result>;
  /** Refuses all waiting and all later work. */
  close(): void;
}

interface Waiting {
  readonly expectedMillis: number;
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * The assumed time of a round before the first measurement, in milliseconds: about a quarter of a second at cost 12.
 */
const INITIAL_ROUND_MILLIS = 0.06;

/** The time of a task in addition to its rounds, in milliseconds: messages between threads, and the key schedule. */
const TASK_MILLIS = 1;

/** The weight of the last task in the estimate. */
const LAST_TASK_SHARE = 0.2;

/** A single task is not enough: the first task of a thread waits for the start of the thread. */
const MAX_SURPRISE = 2;

/** If the estimate was too low, a waiting task is refused after this many times the bound. */
const MAX_ESTIMATE_ERROR = 2;

export function createHashingQueue(options: HashingQueueOptions): HashingQueue {
  const { threads, maxWaiting, maxWaitMillis, maxForClient, now } = options;
  const waiting: Waiting[] = [];
  /** The expected end of each running task. */
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
