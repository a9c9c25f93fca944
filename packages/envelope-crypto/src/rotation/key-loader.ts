import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import type { CheckedKeySource } from './key-source.js';

/** Calls that ignore their signal stay under way. More of them would pile up. */
const MAX_UNSETTLED_LOADS = 3;

/** With that many without an answer, one more is tried after this time: the source may have recovered since. */
const STUCK_RETRY_MILLIS = 600_000;

/** Calls a source, within its time. */
export interface KeyLoader {
  load(): Promise<unknown>;
  /** Aborts the call that is under way. */
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
