import { IdempotencyKeyInvalidError, IdempotencyStoreUnavailableError } from '@sallyport/idempotency';
import { NotFoundError } from '../../http/errors.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** What became of a write. */
export const idempotencyKeyOperations: OperationTexts = {
  'GET /idempotency/:key': {
    tag: 'Payments',
    summary: 'See what became of one’s own writes under a key',
    description: '404: nothing was done under it. The changes of parameters and uploads are not among them.',
    refusals: [NotFoundError, IdempotencyKeyInvalidError, IdempotencyStoreUnavailableError],
    response: {
      data: { state: 'SUBMITTED', requests: [{ method: 'POST', path: '/admin/payments', state: 'SUBMITTED' }] },
    },
  },
};
