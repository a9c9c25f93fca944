import type { FastifyRequest } from 'fastify';
import type { Completion } from '../storage/database.js';

/**
 * Opts in a write whose effects all commit in one transaction, with the record of its key: exactly once, also when the
 * process dies (IDM-7). A request without a key runs as it is.
 */
export const exactlyOnce = { idempotency: { required: false, transactional: true } } as const;

/** The same, and every request needs a key. */
export const exactlyOnceByKey = { idempotency: { required: true, transactional: true } } as const;

/**
 * What the transaction of such a write ends with: the record of its key, and its audit record. A retry is told that the
 * write was made, also when the process died before it said so itself; so what it was is recorded by then (AUD-4,
 * REL-1).
 */
export function completionOf(request: FastifyRequest): Completion {
  const { idempotency, audit, server } = request;
  return async function completeRecords(transaction, target) {
    audit?.set({ target });
    if (idempotency === null) return;
    // Sent together: both are the same transaction's, which takes them one after the other.
    const completed = idempotency.completeWithin(transaction);
    // The hook on the reply gives it its place in the audit log's chain; after a crash another node does.
    const appended = audit === null ? null : server.auditSink.appendWithin(transaction, [audit.describe()]);
    const failure = (await Promise.allSettled([completed, appended])).find(({ status }) => status === 'rejected');
    if (failure !== undefined) throw (failure as PromiseRejectedResult).reason;
  };
}
