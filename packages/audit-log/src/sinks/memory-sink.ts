import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { AuditSetupError, AuditSinkFullError } from '../errors.js';
import { type AuditRecord, begunIdOf } from '../records/index.js';
import type { AuditSink } from './audit-sink.js';

export interface MemorySinkOptions {
  /** The maximum number of records, 1 to 1 000 000. Default 10 000. A full sink refuses further records. */
  readonly maxRecords?: number;
}

export const MEMORY_SINK_DEFAULTS = { maxRecords: 10_000 } as const satisfies Required<MemorySinkOptions>;

/** The upper bound. More records of a few kilobytes each would exceed the memory of a typical process. */
const MAX_RECORDS = 1_000_000;

const rules = {
  maxRecords: wholeNumber({ min: 1, max: MAX_RECORDS, unit: 'records', default: MEMORY_SINK_DEFAULTS.maxRecords }),
};

/** A sink whose records can be read. */
export interface MemorySink extends AuditSink {
  /** A copy of the list of all records, oldest first. A completion replaces its begun record. */
  records(): readonly AuditRecord[];
}

/**
 * A sink in the memory of this process, for tests and trials. Its records are lost with the process.
 *
 * @example
 * ```ts
 * const sink = createMemorySink();
 * const app = Fastify();
 * await app.register(auditLog, { sink, now: () => Date.UTC(2026, 10, 23) });
 * app.post('/payments', { config: { audit: 'payment' } }, async (request) => {
 *   request.audit?.set({ target: 'payment-1' });
 *   return { data: { id: 'payment-1' } };
 * });
 *
 * await app.inject({ method: 'POST', url: '/payments', payload: { payee: 'ada', password: 'hunter2' } });
 * const record = sink.records().at(-1);
 * assert.equal(record?.action, 'payment.create');
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  const { maxRecords } = readOptions<Required<MemorySinkOptions>>(
    { subject: 'createMemorySink', SetupError: AuditSetupError },
    options,
    rules,
  );

  const kept = new Map<string, AuditRecord>();
  return {
    async append(records) {
      const fresh = new Map(records.filter(({ id }) => !kept.has(id)).map((record) => [record.id, record]));
      const isThere = (id: string | null) => id !== null && (kept.has(id) || fresh.has(id));
      const completed = [...fresh.keys()].map(begunIdOf).filter(isThere) as string[];
      if (kept.size + fresh.size - completed.length > maxRecords) throw new AuditSinkFullError(maxRecords);
      for (const [id, record] of fresh) kept.set(id, structuredClone(record));
      for (const id of completed) kept.delete(id);
    },
    records: () => [...kept.values()],
  };
}
