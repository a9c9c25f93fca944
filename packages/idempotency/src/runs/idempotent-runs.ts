import { randomUUID } from 'node:crypto';
import { isCommitted } from '@sallyport/plugin-kit/commits';
import {
  IdempotencyDigestMismatchError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencySetupError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from '../errors.js';
import {
  begin,
  type Completion,
  complete,
  type IdempotencyRecord,
  judge,
  type KeptResult,
  markUnknown,
  type ProcessingRecord,
  type RecordCompletionOptions,
  type RecordStore,
  release,
  takeOver,
} from '../records/index.js';
import { holdLease } from './lease.js';
import { createRetries } from './retries.js';

/** The end of a run: it took effect, it certainly had no effect, or its effect is unknown. */
export type Outcome = 'submitted' | 'nothing-done' | 'unknown';

/**
 * The result of settling a run. `rolled-back`: the completion was rolled back. `open`: its transaction has not ended.
 * `unconfirmed`: the store could not find out. In these three cases the handler has not succeeded.
 */
export type Settlement = 'settled' | 'rolled-back' | 'open' | 'unconfirmed';

/** One run of one write, which holds the lease of its record. */
export interface Run {
  /**
   * Completes the record in the caller's transaction. Rejects if the run has lost the record. Roll back in that case.
   */
  completeWithin(transaction: object, options?: RecordCompletionOptions): Promise<void>;
  /** Whether the run holds the record, or has held it. False only for a run that the handler has not begun. */
  readonly isBegun: boolean;
  /** Whether `completeWithin` has succeeded. */
  readonly isCompletedWithin: boolean;
  /**
   * Ends the lease and records the outcome, and with `submitted` the result. Never rejects: a record that fails is
   * retried in the background. With `submitted` after `completeWithin`, it confirms that the completion has committed.
   */
  settle(outcome: Outcome, result?: KeptResult | null): Promise<Settlement>;
}

/** The request of a run: a first one, or a retry. */
export interface Attempt {
  readonly scope: string;
  readonly digest: string;
  /** Whether all effects commit in one transaction with the record, by `completeWithin`. */
  readonly isTransactional: boolean;
}

export interface IdempotentRuns {
  /** Resolves to a run for exactly one of any number of attempts; the others reject with their refusal. */
  begin(attempt: Attempt): Promise<Run>;
  /** The record that a retry would find, or null if it would run. */
  lookUp(scope: string): Promise<IdempotencyRecord | null>;
  /** Stops the retries in the background. */
  close(): void;
}

export interface IdempotentRunsOptions {
  readonly records: RecordStore;
  readonly leaseMillis: number;
  readonly retentionMillis: number;
  readonly retryAfterSeconds: number;
  /** Called for failures in the background: a lost lease, an outcome that is not recorded yet. */
  readonly warn: (message: string, cause?: unknown) => void;
}

/** The record that the run completed, and the transaction. */
interface MadeCompletion extends Completion {
  readonly transaction: object;
}

/** If a record changes this often between reading and taking over, other runs are processing it. */
const MAX_TURNS = 4;

/** The engine. It allows at most one run at a time per record, and none after a run that may have taken effect. */
export function createIdempotentRuns(options: IdempotentRunsOptions): IdempotentRuns {
  const { records, leaseMillis, retentionMillis, retryAfterSeconds, warn } = options;
  const retries = createRetries(leaseMillis);

  async function claim({ scope, digest, isTransactional }: Attempt, fresh: ProcessingRecord): Promise<void> {
    let isAbsent = true;
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      if (isAbsent && (await records.insert(scope, fresh))) return;
      const finding = judge(await records.read(scope), digest);
      isAbsent = finding.kind === 'absent';
      if (finding.kind === 'mismatch') throw new IdempotencyDigestMismatchError();
      if (finding.kind === 'submitted') throw new IdempotencySubmittedError(finding.result);
      if (finding.kind === 'unknown') throw new IdempotencyOutcomeUnknownError();
      if (finding.kind === 'processing') break;
      if (finding.kind === 'lapsed') {
        const { record } = finding;
        // A dead transactional run committed nothing (IDM-7). The effect of any other is unknown (IDM-6).
        const mayRun = record.isTransactional && isTransactional;
        const next = mayRun ? takeOver(record, fresh.owner) : markUnknown(record);
        const isOvertaken = await records.overtake(scope, record, next);
        if (isOvertaken && mayRun) return;
        if (isOvertaken) throw new IdempotencyOutcomeUnknownError();
      }
    }
    throw new IdempotencyProcessingError(retryAfterSeconds);
  }

  function createRun(scope: string, held: ProcessingRecord): Run {
    let isCompleting = false;
    let completion: MadeCompletion | null = null;
    const lease = holdLease({
      everyMillis: leaseMillis / 3,
      maxMillis: retentionMillis,
      // The transaction that completes the record locks it. If it is rolled back, the run still needs its lease.
      renew: async () => (await records.renew(scope, held)) || isCompleting,
      onLost: () => warn('An idempotent run lost its lease and continues'),
    });

    /** Each resolves to false if the record is settled already, in the handler's transaction or by another run. */
    const transitions: Readonly<Record<Outcome, (result: KeptResult | null) => Promise<boolean>>> = {
      submitted: (result) => records.replace(scope, held, complete(held, result)),
      'nothing-done': () => records.replace(scope, held, release(held)),
      unknown: () => records.replace(scope, held, markUnknown(held)),
    };

    const doubt = () => transitions.unknown(null);

    async function confirmCompletion({ transaction, ...made }: MadeCompletion): Promise<Settlement> {
      if (records.confirmCompletion === null) return 'settled';
      if (made.isOutermost && isCommitted(transaction)) return 'settled';
      try {
        const end = await records.confirmCompletion(scope, held, made);
        // If the completion is rolled back later, the outcome is also unknown.
        if (end === 'open') retries.retry(doubt);
        return end === 'committed' ? 'settled' : end;
      } catch (cause) {
        warn('Whether an idempotent run has committed could not be read; its outcome is recorded later', cause);
        retries.retry(doubt);
        return 'unconfirmed';
      }
    }

    return {
      isBegun: true,

      get isCompletedWithin() {
        return completion !== null;
      },

      async completeWithin(transaction, options) {
        if (records.completeWithin === null) {
          throw new IdempotencySetupError('completeWithin', [
            'it needs a store with transactions: createPostgresIdempotencyStore(…)',
          ]);
        }
        isCompleting = true;
        const made = await records.completeWithin(scope, held, transaction, options);
        if (made === null) {
          throw held.isTransactional
            ? new IdempotencyProcessingError(retryAfterSeconds)
            : new IdempotencyOutcomeUnknownError();
        }
        completion = { ...made, transaction };
      },

      async settle(outcome, result = null) {
        lease.stop();
        if (outcome === 'submitted' && completion !== null) return confirmCompletion(completion);
        const record = () => transitions[outcome](result);
        try {
          const isRecorded = await record();
          if (!isRecorded && completion === null) {
            warn(`The outcome of an idempotent run came too late to be recorded: ${outcome}`);
          }
        } catch (cause) {
          warn(`The outcome of an idempotent run could not be recorded and is retried: ${outcome}`, cause);
          retries.retry(record);
        }
        return 'settled';
      },
    };
  }

  return {
    async begin(attempt) {
      const { digest, isTransactional } = attempt;
      const fresh = begin({ digest, owner: randomUUID(), isTransactional });
      try {
        await claim(attempt, fresh);
      } catch (error) {
        if (isRefusal(error)) throw error;
        // The record may still have been written, and no run will follow.
        retries.retry(() => records.replace(attempt.scope, fresh, release(fresh)));
        throw new IdempotencyStoreUnavailableError(retryAfterSeconds, error);
      }
      return createRun(attempt.scope, fresh);
    },

    async lookUp(scope) {
      try {
        let last: IdempotencyRecord | null = null;
        for (let turn = 0; turn < MAX_TURNS; turn += 1) {
          const found = await records.read(scope);
          if (found === null) return null;
          const { record, leaseLapsed } = found;
          if (record.state !== 'PROCESSING' || !leaseLapsed) return record;
          // The dead run is fenced first, so that the answer stays true.
          const next = record.isTransactional ? release(record) : markUnknown(record);
          if (await records.overtake(scope, record, next)) return next;
          last = record;
        }
        return last;
      } catch (cause) {
        throw new IdempotencyStoreUnavailableError(retryAfterSeconds, cause);
      }
    },

    close: retries.close,
  };
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof IdempotencyProcessingError ||
    error instanceof IdempotencySubmittedError ||
    error instanceof IdempotencyDigestMismatchError ||
    error instanceof IdempotencyOutcomeUnknownError
  );
}
