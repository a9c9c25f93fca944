import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import type { CheckedKeySource } from './key-source.js';

/** The maximum number of calls without an answer. Calls that ignore their signal stay open, and would pile up. */
const MAX_UNSETTLED_LOADS = 3;

/** If that many calls have no answer, another one is tried after this time, because the source may have recovered. */
const STUCK_RETRY_MILLIS = 600_000;

/** Calls a source, within its timeout. */
export interface KeyLoader {
  load(): Promise<unknown>;
  /** Aborts the running call. */
  abort(reason: Error): void;
}

export function createKeyLoader({ load, loadTimeoutMillis }: CheckedKeySource): KeyLoader {
  const bounded = createBoundedCall({ timeoutMillis: loadTimeoutMillis });
  let unsettled = 0;
  let calledAt = Number.NEGATIVE_INFINITY;
  let underWay: AbortController | null = null;

  async function call(signal: AbortSignal): Promise<unknown> {
    unsettled++;
    try {
      return await load({ signal });
    } finally {
      unsettled--;
    }
  }

  return {
    async load() {
      if (unsettled >= MAX_UNSETTLED_LOADS && performance.now() - calledAt < STUCK_RETRY_MILLIS) {
        throw new Error(`${unsettled} calls are still without an answer`);
      }
      calledAt = performance.now();
      const aborting = new AbortController();
      underWay = aborting;
      try {
        return await bounded(() => call(aborting.signal));
      } catch (cause) {
        aborting.abort(cause);
        throw cause;
      }
    },
    abort: (reason) => underWay?.abort(reason),
  };
}
