import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { AuditRecordRefusedError, AuditUnavailableError } from './errors.js';
import type { AuditRecord } from './records/index.js';
import type { AuditSink } from './sinks/index.js';

/** The health of the writer, for health checks and metrics. The counts are those of this process since its start. */
export interface AuditHealth {
  /** `down` if the last call of the sink failed. Operations are then refused. */
  readonly status: 'up' | 'down';
  /** The number of records for which replies wait. */
  readonly pending: number;
  /** The number of queued records of replies that were already sent. */
  readonly queued: number;
  /** The number of replies that became 503 because their record could not be committed. */
  readonly refused: number;
  /** The number of records that were never stored although their reply was sent, which is the risk of `after-reply`. */
  readonly lost: number;
  /** The number of refusals that were counted but not recorded, because a client caused too many. */
  readonly omitted: number;
  /** The number of hijacked replies and upgraded connections, such as WebSockets, that have not ended. */
  readonly open: number;
}

export interface RecordWriterOptions {
  readonly sink: AuditSink;
  readonly commitTimeoutMillis: number;
  readonly maxPending: number;
  readonly maxQueued: number;
  readonly retryMillis: number;
  readonly closeTimeoutMillis: number;
  readonly now: () => number;
  /** Called when trouble begins and when it ends. */
  readonly warn: (trouble: WriterTrouble) => void;
}

export type WriterTrouble =
  | { readonly kind: 'sink-away'; readonly cause: unknown }
  | { readonly kind: 'sink-back' }
  | { readonly kind: 'records-lost'; readonly count: number };

/** Writes records to the sink. It does not depend on Fastify. */
export interface RecordWriter {
  /** Resolves once the record is committed. @throws AuditUnavailableError */
  commit(record: AuditRecord): Promise<void>;
  /** Like `commit`, for the record of a change that is about to be made. @throws AuditUnavailableError */
  begin(record: AuditRecord): Promise<void>;
  /** Queues the record. Counts it as lost if the queue is full. */
  enqueue(record: AuditRecord): void;
  /** Whether the sink failed within the last `retryMillis`. In that case no operation should begin. */
  isAway(): boolean;
  /** The error for an operation that is refused while the sink is unavailable. It is counted. */
  refusalWhileAway(): AuditUnavailableError;
  health(): Omit<AuditHealth, 'omitted' | 'open'>;
  /** Writes the queued records, and closes the sink. */
  close(): Promise<void>;
}

/** The number of queued records per call of the sink. */
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
  let probeTimer: NodeJS.Timeout | null = null;
  let isProbing = false;
  let isClosing = false;

  const append = (records: readonly AuditRecord[]) => observed(() => sink.append(records));

  /** Notes whether the sink answers. */
  async function observed(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      // A refused record does not mean that the sink failed.
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
    if (sink.check !== undefined && !isClosing) probeTimer ??= setInterval(probe, retryMillis).unref();
  }

  /** While the sink is unavailable, checks whether records can be committed again. */
  async function probe(): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    const checked = observed(async () => sink.check?.());
    await inTime(checked, commitTimeoutMillis).catch((cause: unknown) => {
      if (cause instanceof SinkTooSlowError) noteFailure(cause);
    });
    isProbing = false;
    if (awaySince === null) stopProbing();
  }

  function stopProbing(): void {
    if (probeTimer !== null) clearInterval(probeTimer);
    probeTimer = null;
  }

  function refuse(cause: unknown): AuditUnavailableError {
    refused += 1;
    return new AuditUnavailableError({ cause });
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

  /** One of the records was refused. Append the others without it. */
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

  async function commitInTime(write: () => Promise<void>): Promise<void> {
    if (pending >= maxPending) throw refuse(new Error(`${maxPending} records wait for the sink`));
    pending += 1;
    const written = observed(write).finally(() => {
      pending -= 1;
    });
    await inTime(written, commitTimeoutMillis).catch((cause: unknown) => {
      if (cause instanceof SinkTooSlowError) noteFailure(cause);
      throw refuse(cause);
    });
  }

  return {
    commit: (record) => commitInTime(() => sink.append([record])),

    begin: (record) => commitInTime(() => (sink.begin === undefined ? sink.append([record]) : sink.begin([record]))),

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
      stopProbing();
      const finish = (draining ?? Promise.resolve()).then(() => drain());
      await inTime(finish, closeTimeoutMillis).catch(() => undefined);
      lose(queue.splice(0).length);
      await sink.close?.();
    },
  };
}

/** The sink did not answer in time. It may still write the record. */
class SinkTooSlowError extends Error {
  override readonly name = 'SinkTooSlowError';
  constructor(millis: number) {
    super(`The sink has not answered within ${millis} ms`);
  }
}

function inTime(work: Promise<void>, millis: number): Promise<void> {
  return withinDeadline(work, millis, () => new SinkTooSlowError(millis));
}
