import { randomUUID } from 'node:crypto';
import {
  IdempotencyDigestMismatchError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencySetupError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from '../errors.js';
import type { RecordStore } from '../records/index.js';
import {
  begin,
  complete,
  type IdempotencyRecord,
  judge,
  markUnknown,
  type ProcessingRecord,
  release,
  takeOver,
} from '../records/index.js';
import { holdLease } from './lease.js';
import { createBackgroundTries } from './retries.js';

/** How a run ended: it took effect, it surely had none, or nobody knows. */
export type Outcome = 'submitted' | 'nothing-done' | 'unknown';

/** One run of one write, which holds the lease of its record. */
export interface Run {
  /** Completes the record in the caller's transaction. Rejects when the record isn't this run's any more: the transaction must then roll back. */
  completeWithin(transaction: object): Promise<void>;
  /** Whether `completeWithin` went through. */
  readonly isCompletedWithin: boolean;
  /** Ends the lease and records the outcome. Never rejects: what can't be recorded now is tried again in the background. */
  settle(outcome: Outcome): Promise<void>;
}

/** What a first request, or a retry, asks for. */
export interface Attempt {
  readonly scope: string;
  readonly digest: string;
  /** Whether all effects commit in one transaction with the record, by `completeWithin`. */
  readonly isTransactional: boolean;
}

export interface IdempotentRuns {
  /** Resolves to a run for exactly one of any number of attempts; the others reject with their refusal. */
  begin(attempt: Attempt): Promise<Run>;
  /** The state that a retry would meet, or null if it would run. */
  lookUp(scope: string): Promise<IdempotencyRecord['state'] | null>;
  /** Gives up what is still tried in the background. */
  close(): void;
}

export interface IdempotentRunsOptions {
  readonly records: RecordStore;
  readonly leaseMillis: number;
  readonly retentionMillis: number;
  readonly retryAfterSeconds: number;
  /** Told what nobody waits for: a lease that was lost, an outcome that could not be recorded yet. */
  readonly warn: (message: string, cause?: unknown) => void;
}

/** A record that changes more often between reading and overtaking is one that others work on. */
const MOST_TURNS = 4;

/** The engine: at most one run at a time for each record, and none after one that may have taken effect. */
export function createIdempotentRuns(options: IdempotentRunsOptions): IdempotentRuns {
  const { records, leaseMillis, retentionMillis, retryAfterSeconds, warn } = options;
  const background = createBackgroundTries(leaseMillis);

  async function claim({ scope, digest, isTransactional }: Attempt, fresh: ProcessingRecord): Promise<void> {
    let isAbsent = true;
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      if (isAbsent && (await records.insert(scope, fresh))) return;
      const finding = judge(await records.read(scope), digest);
      isAbsent = finding.kind === 'absent';
      if (finding.kind === 'mismatch') throw new IdempotencyDigestMismatchError();
      if (finding.kind === 'submitted') throw new IdempotencySubmittedError();
      if (finding.kind === 'unknown') throw new IdempotencyOutcomeUnknownError();
      if (finding.kind === 'processing') break;
      if (finding.kind === 'lapsed') {
        const { record } = finding;
        // A dead run that committed nothing did nothing (IDM-7); of any other nobody knows (IDM-6).
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
    let isCompletedWithin = false;
    const lease = holdLease({
      everyMillis: leaseMillis / 3,
      longestMillis: retentionMillis,
      renew: () => records.renew(scope, held),
      onLost: () => warn('An idempotent run lost its lease, and goes on'),
    });

    /** False: the record was settled already, in the handler's transaction or by others. */
    const transitions: Readonly<Record<Outcome, () => Promise<boolean>>> = {
      submitted: () => records.replace(scope, held, complete(held)),
      'nothing-done': () => records.replace(scope, held, release(held)),
      unknown: () => records.replace(scope, held, markUnknown(held)),
    };

    return {
      get isCompletedWithin() {
        return isCompletedWithin;
      },

      async completeWithin(transaction) {
        if (records.completeWithin === null) {
          throw new IdempotencySetupError(
            'completeWithin needs a store with transactions: createPostgresIdempotencyStore(…)',
          );
        }
        // The row is the transaction's from now on: a renewal would wait for its end.
        lease.stop();
        if (!(await records.completeWithin(scope, held, transaction))) {
          throw held.isTransactional
            ? new IdempotencyProcessingError(retryAfterSeconds)
            : new IdempotencyOutcomeUnknownError();
        }
        isCompletedWithin = true;
      },

      async settle(outcome) {
        lease.stop();
        if (outcome === 'submitted' && isCompletedWithin) return;
        const record = transitions[outcome];
        try {
          if ((await record()) || isCompletedWithin) return;
          warn(`The outcome of an idempotent run came too late to be recorded: ${outcome}`);
        } catch (cause) {
          warn(`The outcome of an idempotent run could not be recorded, and is tried again: ${outcome}`, cause);
          background.keepTrying(record);
        }
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
        // It may have been written all the same, and nothing is going to run.
        background.keepTrying(() => records.replace(attempt.scope, fresh, release(fresh)));
        throw new IdempotencyStoreUnavailableError(retryAfterSeconds, error);
      }
      return createRun(attempt.scope, fresh);
    },

    async lookUp(scope) {
      try {
        for (let turn = 0; turn < MOST_TURNS; turn += 1) {
          const found = await records.read(scope);
          if (found === null) return null;
          const { record, leaseLapsed } = found;
          if (record.state !== 'PROCESSING' || !leaseLapsed) return record.state;
          // What is told must stay true: the dead run is fenced before anybody hears of it.
          const next = record.isTransactional ? release(record) : markUnknown(record);
          if (await records.overtake(scope, record, next)) return next === null ? null : next.state;
        }
        return 'PROCESSING';
      } catch (cause) {
        throw new IdempotencyStoreUnavailableError(retryAfterSeconds, cause);
      }
    },

    close: background.close,
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
