import { startDeadline, withinDeadline } from '../../deadline.js';
import { AuditSinkFullError } from '../../errors.js';

/** Beyond this many attempts without an outcome the database hangs: no further one is sent, so that memory stays bounded. */
const MOST_UNSETTLED = 3;

const FIRST_PAUSE_MILLIS = 20;
const LONGEST_PAUSE_MILLIS = 320;

/** What a failed attempt means: try the same again, look for the one that can't be written, or give up. */
export type CommitFailure = 'again' | 'divide' | 'refused';

export interface GroupCommitOptions<Item> {
  /** Commits all the items, or none. `mayExist`: an earlier attempt with them may have been committed. */
  readonly commit: (
    items: readonly Item[],
    attempt: { readonly mayExist: boolean; readonly signal: AbortSignal },
  ) => Promise<void>;
  readonly failureOf: (error: unknown) => CommitFailure;
  /** How many items go in one commit, unless one call alone has more. */
  readonly maxBatch: number;
  /** How many items wait or are being committed, at most. */
  readonly maxQueued: number;
  /** How long a call waits for its commit, in milliseconds. */
  readonly timeoutMillis: number;
}

export interface GroupCommit<Item> {
  /** Resolves when the items are committed; all of them together. */
  append(items: readonly Item[]): Promise<void>;
  /** How many items wait or are being committed. */
  readonly queued: number;
  /** Takes nothing more, and resolves when what was taken is decided. */
  close(): Promise<void>;
}

/** What one call appended: committed together or not at all. */
interface Call<Item> {
  readonly items: readonly Item[];
  settled: boolean;
  settle(error?: unknown): void;
}

/**
 * Group commit: one commit at a time, and what is appended while it runs goes together in the next. So a commit takes
 * more items the slower it is, and a call waits for at most two of them.
 */
export function createGroupCommit<Item>(options: GroupCommitOptions<Item>): GroupCommit<Item> {
  const { commit, failureOf, maxBatch, maxQueued, timeoutMillis } = options;
  const waiting: Call<Item>[] = [];
  let queued = 0;
  let unsettled = 0;
  let closed = false;
  let draining: Promise<void> | null = null;

  function append(items: readonly Item[]): Promise<void> {
    if (closed) return Promise.reject(new Error('The sink is closed'));
    if (queued + items.length > maxQueued) return Promise.reject(new AuditSinkFullError(maxQueued));
    return new Promise((resolve, reject) => {
      const cancelDeadline = startDeadline(timeoutMillis, () => call.settle(new LateCommitError(timeoutMillis)));
      const call: Call<Item> = {
        items,
        settled: false,
        settle(error) {
          if (call.settled) return;
          call.settled = true;
          queued -= items.length;
          cancelDeadline();
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      queued += items.length;
      waiting.push(call);
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    // The requests of one turn of the event loop go together from the first commit on.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await commitCalls(takeBatch());
    draining = null;
  }

  function takeBatch(): Call<Item>[] {
    let items = 0;
    let calls = 0;
    for (const call of waiting) {
      if (calls > 0 && items + call.items.length > maxBatch) break;
      items += call.items.length;
      calls += 1;
    }
    return waiting.splice(0, calls);
  }

  async function commitCalls(calls: readonly Call<Item>[], attempted = false): Promise<void> {
    let mayExist = attempted;
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      const live = calls.filter(({ settled }) => !settled);
      if (live.length === 0) return;
      const error = await attempt(
        live.flatMap(({ items }) => items),
        mayExist,
      );
      if (error === null) {
        for (const call of live) call.settle();
        return;
      }
      const failure = failureOf(error);
      if (failure === 'refused' || (failure === 'divide' && live.length === 1)) {
        for (const call of live) call.settle(error);
        return;
      }
      mayExist = true;
      if (failure === 'divide') {
        // One of them can't be written; halving finds it without a commit for each of its neighbours.
        const half = Math.ceil(live.length / 2);
        await commitCalls(live.slice(0, half), mayExist);
        await commitCalls(live.slice(half), mayExist);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** The reason why it failed, or null. An attempt that takes longer than any of its calls waits is left to itself. */
  async function attempt(items: readonly Item[], mayExist: boolean): Promise<unknown> {
    if (unsettled >= MOST_UNSETTLED) return new LateCommitError(timeoutMillis);
    const abort = new AbortController();
    unsettled += 1;
    const outcome = commit(items, { mayExist, signal: abort.signal })
      .then(
        () => null,
        (error: unknown) => error ?? new Error('The commit failed without an error'),
      )
      .finally(() => {
        unsettled -= 1;
      });
    const giveUp = () => {
      abort.abort();
      return new LateCommitError(timeoutMillis);
    };
    return withinDeadline(outcome, timeoutMillis, giveUp).catch((late: unknown) => late);
  }

  return {
    append,
    get queued() {
      return queued;
    },
    async close() {
      closed = true;
      await draining;
    },
  };
}

/** Nothing is known of the commit within its time. Its code is that of a broken connection: look before writing again. */
class LateCommitError extends Error {
  override readonly name = 'LateCommitError';
  readonly code = 'COMMIT_TIMEOUT';
  constructor(millis: number) {
    super(`No commit within ${millis} ms`);
  }
}
