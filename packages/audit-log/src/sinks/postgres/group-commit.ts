import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { AuditSinkFullError } from '../../errors.js';

/**
 * The maximum number of attempts without an outcome. With this many the database hangs, and no further one is sent, so
 * that memory stays bounded.
 */
const MAX_UNSETTLED = 3;

const FIRST_PAUSE_MILLIS = 20;
const MAX_PAUSE_MILLIS = 320;

/**
 * The action after a failed attempt: try again, divide the batch to find the item that can't be written, or give up.
 */
export type CommitFailure = 'again' | 'divide' | 'refused';

export interface GroupCommitOptions<Item> {
  /** Commits all the items, or none. `mayExist`: an earlier attempt with them may have been committed. */
  readonly commit: (
    items: readonly Item[],
    attempt: { readonly mayExist: boolean; readonly signal: AbortSignal },
  ) => Promise<void>;
  readonly failureOf: (error: unknown) => CommitFailure;
  /** The maximum number of items of a commit. A single call with more is not divided. */
  readonly maxBatch: number;
  /** The maximum number of items that wait or are being committed. */
  readonly maxQueued: number;
  /** The time limit of a call for its commit, in milliseconds. */
  readonly timeoutMillis: number;
}

export interface GroupCommit<Item> {
  /** Resolves when the items are committed, all of them together. */
  append(items: readonly Item[]): Promise<void>;
  /** The number of items that wait or are being committed. */
  readonly queued: number;
  /** Refuses further items, and resolves when every earlier call has an outcome. */
  close(): Promise<void>;
}

/** The items of one call, which are committed together or not at all. */
interface Call<Item> {
  readonly items: readonly Item[];
  settled: boolean;
  /** Resolves to the error with which the call was settled because its time was over. */
  readonly late: Promise<LateCommitError>;
  settle(error?: unknown): void;
}

/**
 * Group commit. One commit runs at a time, and items that are appended in the meantime share the next one. The slower
 * commits are, the more items each contains. A call waits for two commits at most.
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
      let cancelDeadline = () => {};
      const late = new Promise<LateCommitError>((resolveLate) => {
        cancelDeadline = startDeadline(timeoutMillis, () => {
          const error = new LateCommitError(timeoutMillis);
          call.settle(error);
          resolveLate(error);
        });
      });
      const call: Call<Item> = {
        items,
        settled: false,
        late,
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
    // Calls of the same turn of the event loop share the first commit.
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
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(2 * pause, MAX_PAUSE_MILLIS)) {
      const live = calls.filter(({ settled }) => !settled);
      if (live.length === 0) return;
      const error = await attempt(live, mayExist);
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
        // One of the items can't be written. Halving finds it without a commit for each of the others.
        const half = Math.ceil(live.length / 2);
        await commitCalls(live.slice(0, half), mayExist);
        await commitCalls(live.slice(half), mayExist);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Resolves to the failure, or null. An attempt without a waiting call is abandoned; its later outcome is ignored. */
  async function attempt(calls: readonly Call<Item>[], mayExist: boolean): Promise<unknown> {
    if (unsettled >= MAX_UNSETTLED) return new LateCommitError(timeoutMillis);
    const abort = new AbortController();
    unsettled += 1;
    const outcome = commit(
      calls.flatMap(({ items }) => items),
      { mayExist, signal: abort.signal },
    )
      .then(
        () => null,
        (error: unknown) => error ?? new Error('The commit failed without an error'),
      )
      .finally(() => {
        unsettled -= 1;
      });
    const late = Promise.all(calls.map(({ late }) => late)).then(([error]) => {
      abort.abort();
      return error;
    });
    return Promise.race([outcome, late]);
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

/** A commit without an outcome in time. `kindOfFailure` treats it like a broken connection. */
class LateCommitError extends Error {
  override readonly name = 'LateCommitError';
  readonly code = 'COMMIT_TIMEOUT';
  constructor(millis: number) {
    super(`No commit within ${millis} ms`);
  }
}
