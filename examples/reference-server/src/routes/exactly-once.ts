import type { FastifyRequest } from 'fastify';
import type { Completion } from '../db/database.js';

/**
 * Opts in a write whose effects all commit in one transaction, with the record of its key: exactly once, also when the
 * process dies (IDM-7). A request without a key runs as it is.
 */
export const exactlyOnce = { idempotency: { required: false, transactional: true } } as const;

/** The same, and every request needs a key. */
export const exactlyOnceByKey = { idempotency: { required: true, transactional: true } } as const;

/** What the transaction of such a write ends with. */
export function completionOf({ idempotency }: FastifyRequest): Completion {
  return async function completeRecord(transaction) {
    await idempotency?.completeWithin(transaction);
  };
}
