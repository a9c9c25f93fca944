import { isCompleted } from '@sallyport/idempotency/postgres';
import type { FastifyRequest } from 'fastify';
import type { Completion } from '../storage/database.js';

/**
 * For a write whose effects all commit in one transaction, together with the record of its key: exactly once, even if
 * the process dies (IDM-7). A request without a key is processed without this guarantee.
 */
export const exactlyOnce = { idempotency: { required: false, transactional: true } } as const;

/** The same, but every request needs a key. */
export const exactlyOnceByKey = { idempotency: { required: true, transactional: true } } as const;

/**
 * The last statement of the transaction of such a write: the record of its key, and its audit record. If the process
 * dies before it answers, a retry is told that the write was made. The audit record must therefore be committed with
 * the write (AUD-4, REL-1).
 */
export function completionOf(request: FastifyRequest): Completion {
  const { idempotency, audit, server } = request;
  return async function completeRecords(transaction, target) {
    audit?.set({ target });
    // The hook on the reply adds the record to the chain of the audit log. After a crash another node does.
    const records = audit === null ? [] : [audit.describe()];
    if (idempotency === null) return server.auditSink.appendWithin(transaction, records);
    const also = records.length === 0 ? null : server.auditSink.appendIf(isCompleted, records);
    return idempotency.completeWithin(transaction, { also });
  };
}
