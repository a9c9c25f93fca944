import type { FastifyRequest } from 'fastify';
import type { Completion } from '../db/database.js';

/**
 * Opts in a write whose effects all commit in one transaction, with the record of its key: exactly once, also when the
 * process dies (IDM-7). A request without a key runs as it is.
 */
export const exactlyOnce = { idempotency: { required: false, transactional: true } } as const;

/** The same, and every request needs a key. */
export const exactlyOnceByKey = { idempotency: { required: true, transactional: true } } as const;

/**
 * What the transaction of such a write ends with: the record of its key, and its audit record. A retry is told that the
 * write was made, also when the process died before it said so itself; so what it was is recorded by then (AUD-4, REL-1).
 */
export function completionOf(request: FastifyRequest): Completion {
  const { idempotency, audit, server } = request;
  return async function completeRecords(transaction, target) {
    audit?.set({ target });
    if (idempotency === null) return;
    await idempotency.completeWithin(transaction);
    // Last: it holds up every other record until the transaction ends. The hook on the reply commits the same record,
    // which is there once.
    if (audit !== null) await server.auditSink.appendWithin(transaction, [audit.describe()]);
  };
}
