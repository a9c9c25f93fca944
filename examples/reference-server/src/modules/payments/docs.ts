import { NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, cursorPage, INSTANT, THING_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

const payment = {
  id: THING_ID,
  payee: 'Harbour Supplies',
  amount: '12.50',
  createdBy: ADMINISTRATOR_ID,
  createdAt: INSTANT,
};

/** The business resource. */
export const paymentOperations: OperationTexts = {
  'GET /admin/payments': { tag: 'Payments', summary: 'List payments', response: { data: [payment], page: cursorPage } },
  'POST /admin/payments': {
    tag: 'Payments',
    summary: 'Make a payment, exactly once',
    description:
      'A retry with the same `Idempotency-Key` and content never pays twice, even after a crash of the server. 409 `IDEMPOTENCY_SUBMITTED` means that the payment was made.',
    request: { payee: 'Harbour Supplies', amount: '12.50' },
    response: { data: payment },
  },
  'GET /admin/payments/:id': {
    tag: 'Payments',
    summary: 'Read a payment',
    refusals: [NotFoundError],
    response: { data: payment },
  },
};
