import { withinDeadline } from './deadline.js';
import { AuditRecordRefusedError, AuditUnavailableError } from './errors.js';
import type { AuditRecord } from './records/audit-record.js';
import type { AuditSink } from './sinks/sink.js';

/** How it goes with writing, for health checks and metrics. The counts are of this process since its start. */
export interface AuditHealth {
  /** `down` when the last that the sink said was no. */
  readonly status: 'up' | 'down';
  /** Records that replies wait for. */
  readonly pending: number;
  /** Records of replies that have left, on their way to the sink. */
  readonly queued: number;
  /** Replies that were turned into 503 since their record couldn't be committed. */
  readonly refused: number;
  /** Records whose reply had left and that no sink has: what `after-reply` costs. */
  readonly lost: number;
  /** Refusals that were only counted, since one client caused too many. */
  readonly omitted: number;
}

export interface RecordWriterOptions {
  readonly sink: AuditSink;
  readonly commitTimeoutMillis: number;
  readonly maxPending: number;
  readonly maxQueued: number;
  readonly retryMillis: number;
  readonly closeTimeoutMillis: number;
  readonly now: () => number;
  /** Hears of trouble, and when it is over. */
  readonly warn: (trouble: WriterTrouble) => void;
}

export type WriterTrouble =
  | { readonly kind: 'sink-away'; readonly cause: unknown }
  | { readonly kind: 'sink-back' }
  | { readonly kind: 'records-lost'; readonly count: number };

/** Brings records to the sink. It knows of no requests. */
export interface RecordWriter {
  /** Resolves once the record is committed. @throws AuditUnavailableError */
  commit(record: AuditRecord): Promise<void>;
  /** Takes the record along, sooner or later; or counts it as lost. */
  enqueue(record: AuditRecord): void;
  /** Whether the sink failed a moment ago, so that an operation had better not begin. */
  isAway(): boolean;
  /** The refusal for then. It is counted. */
  refusalWhileAway(): AuditUnavailableError;
  health(): Omit<AuditHealth, 'omitted'>;
  /** Writes what is queued, and closes the sink. */
  close(): Promise<void>;
}

/** Records that one call takes along from the queue. */
const BATCH_SIZE = 200;

export function createRecordWriter(options: RecordWriterOptions): RecordWriter {
  const { sink, commitTimeoutMillis, maxPending, maxQueued, retryMillis, closeTimeoutMillis, now, warn } = options;
  const queue: AuditRecord[] = [];
  let pending = 0;
  let refused = 0;
  let lost = 0;
  let awaySince: number | null = null;
  let lastFailureAt = 0;
  let draining: Promise<void> | null = null;
  let retryTimer: NodeJS.Timeout | null = null;
  let isClosing = false;

  async function append(records: readonly AuditRecord[]): Promise<void> {
    try {
      await sink.append(records);
    } catch (cause) {
      // A record that nobody can keep says nothing of the sink.
      if (!(cause instanceof AuditRecordRefusedError)) noteFailure(cause);
      throw cause;
    }
    if (awaySince !== null) warn({ kind: 'sink-back' });
    awaySince = null;
  }

  function noteFailure(cause: unknown): void {
    lastFailureAt = now();
    if (awaySince === null) warn({ kind: 'sink-away', cause });
    awaySince ??= lastFailureAt;
  }

  function refuse(cause: unknown): AuditUnavailableError {
    refused += 1;
    return new AuditUnavailableError({ cause: cause as Error });
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_SIZE);
      await append(batch).catch((cause: unknown) => {
        if (!(cause instanceof AuditRecordRefusedError)) throw cause;
        return appendOneByOne(batch);
      });
      queue.splice(0, batch.length);
    }
  }

  /** One of them is refused: the others needn't suffer, nor those behind them. */
  async function appendOneByOne(records: readonly AuditRecord[]): Promise<void> {
    for (const record of records) {
      await append([record]).catch((cause: unknown) => {
        if (!(cause instanceof AuditRecordRefusedError)) throw cause;
        lose(1);
      });
    }
  }

  function startDraining(): void {
    if (draining !== null || retryTimer !== null) return;
    draining = drain()
      .catch(() => {
        if (!isClosing) retryTimer = setTimeout(retry, retryMillis).unref();
      })
      .finally(() => {
        draining = null;
      });
  }

  function retry(): void {
    retryTimer = null;
    startDraining();
  }

  function lose(count: number): void {
    if (count === 0) return;
    lost += count;
    warn({ kind: 'records-lost', count });
  }

  return {
    async commit(record) {
      if (pending >= maxPending) throw refuse(new Error(`${maxPending} records wait for the sink`));
      pending += 1;
      const appended = append([record]).finally(() => {
        pending -= 1;
      });
      await inTime(appended, commitTimeoutMillis).catch((cause: unknown) => {
        if (cause instanceof SinkTooSlowError) noteFailure(cause);
        throw refuse(cause);
      });
    },

    enqueue(record) {
      if (queue.length >= maxQueued || isClosing) {
        lose(1);
        return;
      }
      queue.push(record);
      startDraining();
    },

    isAway: () => awaySince !== null && Math.abs(now() - lastFailureAt) < retryMillis,

    refusalWhileAway: () => refuse(new Error('The sink failed a moment ago')),

    health: () => ({ status: awaySince === null ? 'up' : 'down', pending, queued: queue.length, refused, lost }),

    async close() {
      isClosing = true;
      if (retryTimer !== null) clearTimeout(retryTimer);
      retryTimer = null;
      const finish = (draining ?? Promise.resolve()).then(() => drain());
      await inTime(finish, closeTimeoutMillis).catch(() => undefined);
      lose(queue.splice(0).length);
      await sink.close?.();
    },
  };
}

/** The sink hasn't said anything for too long. It may still write the record. */
class SinkTooSlowError extends Error {
  override readonly name = 'SinkTooSlowError';
  constructor(millis: number) {
    super(`The sink has not answered in ${millis} ms`);
  }
}

function inTime(work: Promise<void>, millis: number): Promise<void> {
  return withinDeadline(work, millis, () => new SinkTooSlowError(millis));
}
