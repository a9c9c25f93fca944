import { ADMINISTRATOR_ID, INSTANT, page, REQUEST_ID, THING_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

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

/** Search and export. */
export const auditRecordOperations: OperationTexts = {
  'GET /admin/audit-records': {
    tag: 'Audit log',
    summary: 'Search the audit log',
    description: '`from` and `to` are milliseconds since the Unix epoch, or dates and times with a zone.',
    response: { data: [record], page },
  },
  'GET /admin/audit-records/export': {
    tag: 'Audit log',
    summary: 'Export audit records',
    description:
      'The export is streamed, and recorded in the audit log. For Excel use `bom=true`, and `separator=semicolon` where the comma is the decimal separator. Both are for `format=csv` only.',
    answers: {
      200: {
        description: 'The matching records, the oldest first.',
        headers: {
          'Content-Disposition': { schema: { type: 'string' }, description: 'A file name.' },
        },
        content: {
          'text/csv': { schema: { type: 'string', description: 'UTF-8. The first line contains the column names.' } },
          'application/x-ndjson': { schema: { type: 'string', description: 'One record a line.' } },
        },
      },
    },
  },
};
