import { IdempotencyKeyInvalidError, IdempotencyStoreUnavailableError } from '@sallyport/idempotency';
import { NotFoundError } from '../../http/errors.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** The outcome of writes under an idempotency key. */
export const idempotencyKeyOperations: OperationTexts = {
  'GET /idempotency/:key': {
    tag: 'Payments',
    summary: 'Read the state of one’s own writes under a key',
    description:
      '404: no write has this key. Uploads are included from the time at which they were received. Parameter changes are not.',
    refusals: [NotFoundError, IdempotencyKeyInvalidError, IdempotencyStoreUnavailableError],
    response: {
      data: { state: 'SUBMITTED', requests: [{ method: 'POST', path: '/admin/payments', state: 'SUBMITTED' }] },
    },
  },
};
