import { ADMINISTRATOR_ID, INSTANT, ISO_INSTANT, REQUEST_ID, THING_ID } from '../../../http/example-values.js';
import type { OperationTexts } from '../../../http/operation-text.js';

const page = { number: 1, size: 20, total: 1 };

const payment = {
  id: THING_ID,
  payee: 'Harbour Supplies',
  amount: '12.50',
  createdBy: ADMINISTRATOR_ID,
  createdAt: INSTANT,
};

const parameter = {
  key: 'admin.auth.login.failure-count',
  type: 'LONG',
  value: 5,
  defaultValue: 5,
  minimum: 1,
  maximum: 1000,
  isPublic: false,
  description: 'Failed sign-ins within the window that lock',
  version: 1,
  updatedBy: ADMINISTRATOR_ID,
  updatedAt: ISO_INSTANT,
  fault: null,
};

const record = {
  id: THING_ID,
  occurredAt: INSTANT,
  actor: `admin:${ADMINISTRATOR_ID}`,
  action: 'payment.create',
  target: THING_ID,
  outcome: 'success',
  reason: null,
  durationMillis: 12,
  parameters: { body: { payee: 'Harbour Supplies', amount: '12.50' } },
  clientIp: '203.0.113.7',
  extra: {
    requestId: REQUEST_ID,
    terminal: 'web',
    method: 'POST',
    path: '/admin/payments',
    userAgent: 'Mozilla/5.0',
    exception: null,
  },
};

/** Payments, parameters, and what is recorded of them. */
export const recordOperations: OperationTexts = {
  'GET /admin/payments': { tag: 'Payments', summary: 'List payments', response: { data: [payment], page } },
  'POST /admin/payments': {
    tag: 'Payments',
    summary: 'Make a payment, exactly once',
    description:
      'A retry with the same `Idempotency-Key` and content never pays twice, also when the server died in between: 409 `IDEMPOTENCY_SUBMITTED` says that it was made.',
    request: { payee: 'Harbour Supplies', amount: '12.50' },
    response: { data: payment },
  },
  'GET /admin/payments/:id': {
    tag: 'Payments',
    summary: 'Read a payment',
    refusals: ['NOT_FOUND'],
    response: { data: payment },
  },
  'GET /idempotency/:key': {
    tag: 'Payments',
    summary: 'See what became of one’s own writes under a key',
    description: '404: nothing was done under it. The changes of parameters and uploads are not among them.',
    refusals: ['NOT_FOUND', 'IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_STORE_UNAVAILABLE'],
    response: {
      data: { state: 'SUBMITTED', requests: [{ method: 'POST', path: '/admin/payments', state: 'SUBMITTED' }] },
    },
  },
  'GET /admin/system-parameters': {
    tag: 'System parameters',
    summary: 'List system parameters',
    refusals: ['SYSTEM_PARAMETERS_UNAVAILABLE'],
    response: { data: [parameter], page },
  },
  'GET /admin/system-parameters/:key': {
    tag: 'System parameters',
    summary: 'Read a system parameter',
    refusals: ['PARAMETER_UNKNOWN', 'SYSTEM_PARAMETERS_UNAVAILABLE'],
    response: { data: parameter },
  },
  'PUT /admin/system-parameters/:key': {
    tag: 'System parameters',
    summary: 'Change a system parameter',
    description:
      '`version` is the one that was read. The change rules on every node within 2 s. One that would shut out its caller needs `confirm: true`.',
    refusals: [
      'PARAMETER_UNKNOWN',
      'PARAMETER_INVALID',
      'PARAMETER_VERSION_CONFLICT',
      'PARAMETER_CONFIRMATION_NEEDED',
      'PARAMETER_CHANGE_NOT_RECORDED',
      'SYSTEM_PARAMETERS_UNAVAILABLE',
    ],
    request: { value: 3, version: 1 },
    response: { data: { ...parameter, value: 3, version: 2 } },
  },
  'GET /public/system-parameters': {
    tag: 'System parameters',
    summary: 'Read the public system parameters',
    description: 'Such as the rules of passwords, which clients check before they hash.',
    refusals: ['SYSTEM_PARAMETERS_UNAVAILABLE'],
    response: { data: { 'admin.auth.password.min-length': 6, 'admin.auth.password.require-digit': false } },
  },
  'GET /admin/audit-records': {
    tag: 'Audit log',
    summary: 'Search the audit log',
    description: '`from` and `to` are milliseconds since the Unix epoch, or dates and times with a zone.',
    response: { data: [record], page },
  },
  'GET /admin/audit-records/export': {
    tag: 'Audit log',
    summary: 'Export audit records',
    description: 'Streamed, and recorded itself.',
    answers: {
      200: {
        description: 'The records that were found, the oldest first.',
        headers: {
          'Content-Disposition': { schema: { type: 'string' }, description: 'A file name.' },
        },
        content: {
          'text/csv': { schema: { type: 'string', description: 'The first line has the names of the columns.' } },
          'application/x-ndjson': { schema: { type: 'string', description: 'One record a line.' } },
        },
      },
    },
  },
};
