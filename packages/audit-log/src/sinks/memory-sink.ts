import { AuditSinkFullError } from '../errors.js';
import type { AuditRecord } from '../records/audit-record.js';
import type { AuditSink } from './sink.js';

export interface MemorySinkOptions {
  /** How many records the sink holds at most, 1 to 1 000 000. Default 10 000. One more is refused: none that is there is dropped for it. */
  readonly maxRecords?: number;
}

export const MEMORY_SINK_DEFAULTS = { maxRecords: 10_000 } as const satisfies Required<MemorySinkOptions>;

/** Beyond it, a record of a few kilobytes at a time fills the memory of a usual process. */
const MOST_RECORDS = 1_000_000;

/** A sink whose records can be looked at. */
export interface MemorySink extends AuditSink {
  /** What was appended so far, oldest first: a copy. */
  records(): readonly AuditRecord[];
}

/** A sink in the memory of this process, for tests and trials: its records end with the process. */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  const maxRecords = options.maxRecords ?? MEMORY_SINK_DEFAULTS.maxRecords;
  if (!Number.isSafeInteger(maxRecords) || maxRecords < 1 || maxRecords > MOST_RECORDS)
    throw new TypeError(`createMemorySink: maxRecords must be a whole number from 1 to ${MOST_RECORDS}`);

  const kept = new Map<string, AuditRecord>();
  return {
    async append(records) {
      const fresh = new Map(records.filter(({ id }) => !kept.has(id)).map((record) => [record.id, record]));
      if (kept.size + fresh.size > maxRecords) throw new AuditSinkFullError(maxRecords);
      for (const [id, record] of fresh) kept.set(id, structuredClone(record));
    },
    records: () => [...kept.values()],
  };
}
