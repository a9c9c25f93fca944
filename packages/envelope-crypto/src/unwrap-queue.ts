import { setImmediate } from 'node:timers';
import { EnvelopeKeyUnavailableError } from './errors.js';

/** The bounds of an {@link UnwrapQueue}. */
export interface UnwrapQueueOptions {
  /** The most unwraps that may wait for their turn. */
  readonly maxWaitingUnwraps?: number;
}

/**
 * The defaults of {@link UnwrapQueueOptions}. 256 unwraps at 3 to 4 ms are about a second of work: whoever came behind them
 * would wait longer than a client that is asked to come back.
 */
export const UNWRAP_QUEUE_DEFAULTS = { maxWaitingUnwraps: 256 } as const satisfies Required<UnwrapQueueOptions>;

/** One unwrapping by a key of this process: milliseconds of work that hold the event loop. */
export type UnwrapHere = () => Uint8Array | null;

/** Where unwraps wait for their turn. */
export interface UnwrapQueue {
  /**
   * Yields what the unwrap yields, in the order of the calls and never in the turn of the call; rejects with an
   * `EnvelopeKeyUnavailableError` if too many are waiting.
   */
  take(unwrap: UnwrapHere): Promise<Uint8Array | null>;
}

/**
 * A queue with one unwrap per turn of the event loop: anybody can send envelopes that cost an unwrap each, and back to back
 * they would hold the loop for as long as they come. Between two of them timers fire and other I/O is served.
 */
export function createUnwrapQueue({
  maxWaitingUnwraps = UNWRAP_QUEUE_DEFAULTS.maxWaitingUnwraps,
}: UnwrapQueueOptions = {}): UnwrapQueue {
  const waiting: (() => void)[] = [];

  function runNext(): void {
    waiting.shift()?.();
    // An immediate that is set within one runs on the loop's next turn, after timers and I/O.
    if (waiting.length > 0) setImmediate(runNext);
  }

  return {
    async take(unwrap) {
      if (waiting.length >= maxWaitingUnwraps) {
        throw new EnvelopeKeyUnavailableError({ cause: new Error('too many unwraps are waiting for their turn') });
      }
      return new Promise((resolve, reject) => {
        waiting.push(function runUnwrap() {
          try {
            resolve(unwrap());
          } catch (cause) {
            reject(cause);
          }
        });
        if (waiting.length === 1) setImmediate(runNext);
      });
    },
  };
}
