import { RateLimitedError } from '../http/errors.js';

/** The number of transactions that may hold a connection at a time, so that others find one (TOK-13). */
export interface TurnLimits {
  readonly maxRunning: number;
  /** The number for one owner, such as an account, so that its slow changes don't stop those of others. */
  readonly maxRunningOfOwner: number;
  /**
   * The number of waiting transactions of an owner. Further ones are refused at once, because their clients would give
   * up before their turn.
   */
  readonly maxWaitingOfOwner: number;
}

/** Lets transactions wait for a connection outside of the driver's queue, which has neither owners nor a bound. */
export interface Turns {
  /**
   * Runs the work when it is its turn, unless the signal is aborted before. A turn lasts until the work has settled,
   * even if its caller has given up, because until then it holds its connection.
   *
   * @param owner null: bounded only by the total
   * @throws {RateLimitedError}
   */
  take<Result>(owner: string | null, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

type Owner = string | symbol;

export function createTurns({ maxRunning, maxRunningOfOwner, maxWaitingOfOwner }: TurnLimits): Turns {
  let running = 0;
  const runningOf = new Map<Owner, number>();
  const waitingOf = new Map<Owner, Set<() => void>>();
  const mayRun = (owner: Owner) => running < maxRunning && (runningOf.get(owner) ?? 0) < maxRunningOfOwner;

  async function run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    running += 1;
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1);
    try {
      return await work();
    } finally {
      running -= 1;
      const left = (runningOf.get(owner) ?? 1) - 1;
      if (left === 0) runningOf.delete(owner);
      else runningOf.set(owner, left);
      startWaiting();
    }
  }

  /** Takes one of each owner in turn. */
  function startWaiting(): void {
    for (const [owner, waiting] of waitingOf) {
      if (running >= maxRunning) return;
      if (!mayRun(owner)) continue;
      waitingOf.delete(owner);
      const [start] = waiting;
      if (start === undefined) continue;
      waiting.delete(start);
      if (waiting.size > 0) waitingOf.set(owner, waiting);
      start();
    }
  }

  function wait<Result>(owner: Owner, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const waiting = waitingOf.get(owner) ?? new Set();
    if (waiting.size >= maxWaitingOfOwner) throw new RateLimitedError(1);
    waitingOf.set(owner, waiting);
    return new Promise((resolve, reject) => {
      function start(): void {
        signal.removeEventListener('abort', giveUp);
        resolve(run(owner, work));
      }
      function giveUp(): void {
        waiting.delete(start);
        if (waiting.size === 0 && waitingOf.get(owner) === waiting) waitingOf.delete(owner);
        reject(signal.reason);
      }
      waiting.add(start);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(given, signal, work) {
      signal.throwIfAborted();
      const owner = given ?? Symbol('nobody');
      return mayRun(owner) ? run(owner, work) : wait(owner, signal, work);
    },
  };
}
