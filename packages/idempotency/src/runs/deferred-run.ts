import { IdempotencySetupError } from '../errors.js';
import type { Run } from './idempotent-runs.js';

/** A run that the handler begins when it knows the content of the request. */
export interface DeferredRun extends Run {
  /** Begins the run. Rejects with the run's refusal, on a second call, and after the request was settled. */
  begin(content: unknown): Promise<void>;
}

/** @param start begins the run for this content */
export function deferRun(start: (content: unknown) => Promise<Run>): DeferredRun {
  let starting: Promise<Run> | null = null;
  let run: Run | null = null;
  let isSettled = false;

  return {
    get isBegun() {
      return run !== null;
    },

    get isCompletedWithin() {
      return run?.isCompletedWithin ?? false;
    },

    async begin(content) {
      // Otherwise, any two contents would be equal.
      if (content === undefined) throw new IdempotencySetupError('begin', ['it takes a JSON value, not undefined']);
      if (starting !== null) throw new IdempotencySetupError('begin', ['call it once for each request']);
      // This run would never be settled, and its record would be PROCESSING for the whole retention.
      if (isSettled) throw new IdempotencySetupError('begin', ['the reply was sent already']);
      starting = start(content);
      run = await starting;
    },

    async completeWithin(transaction, options) {
      if (run === null) throw new IdempotencySetupError('completeWithin', ['call begin(content) before it']);
      await run.completeWithin(transaction, options);
    },

    async settle(outcome, result) {
      isSettled = true;
      // A pending begin may still get the record. A refused one has none.
      const begun = await starting?.catch(() => null);
      return (await begun?.settle(outcome, result)) ?? 'settled';
    },
  };
}
