import { SessionConnectionsExceededError } from '@sallyport/auth-tokens';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, cursorPage, INSTANT, LATER, REQUEST_ID, THING_ID } from '../../http/example-values.js';
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

const verification = {
  id: THING_ID,
  state: 'finished',
  startedAt: INSTANT,
  startedBy: `admin:${ADMINISTRATOR_ID}`,
  endedAt: LATER,
  rows: 1203,
  percent: 100,
  intact: true,
  findingCount: 0,
  findings: [],
  coveredTo: 1200,
  checkpoints: 12,
  given: null,
};

const NOT_FINISHED = { intact: null, coveredTo: null, checkpoints: null };

/** Search, export and verification. */
export const auditRecordOperations: OperationTexts = {
  'GET /admin/audit-records': {
    tag: 'Audit log',
    summary: 'Search the audit log',
    description:
      '`from` and `to` are milliseconds since the Unix epoch, or dates and times with a zone. Pages by `after` do not ' +
      'shift while records are added. `page.total` is exact up to 10 000; beyond, it is 10 000, and ' +
      '`page.totalIsExact` is false. `actors` names the accounts that are actors or targets on the page, app users by ' +
      'their masked numbers; null without the permission to list administrators. `target` finds an account by its id ' +
      'and by its name, for those who may list such accounts.',
    response: {
      data: [record],
      page: { ...cursorPage, totalIsExact: true },
      actors: [{ actor: `admin:${ADMINISTRATOR_ID}`, username: 'li.hua' }],
    },
  },
  'GET /admin/audit-records/actions': {
    tag: 'Audit log',
    summary: 'List the actions of the audit log',
    description: 'Every action that the server and its commands record, in words. Reading the list is not recorded.',
    response: { data: [{ action: 'payment.create', text: { en: 'Create a payment', 'zh-CN': '新建付款' } }] },
  },
  'POST /admin/audit-records/verify': {
    tag: 'Audit log',
    summary: 'Verify the audit log',
    description:
      'Reads the whole log in the background and compares it with its chain and the checkpoints of ' +
      '`SERVICE_AUDIT_CHECKPOINT_FILE`. One verification runs at a time, on all nodes together: while one runs, the ' +
      'answer is that one. With `checkpoint`, the whole note of a signed checkpoint, the log is compared with it as well: ' +
      'give `publicKey` where you keep your own copy, which proves this note only, or the keys of the server prove it. ' +
      '`given` names it in the result, and `ownKey` says whether a key of the server signed it. A log that is not ' +
      'intact is a security event, unless only the note of another key says so. A verification with such a note is ' +
      'interrupted by one without. One that was running already has not seen the note. `Location` names where its ' +
      'progress and its findings are shown.',
    refusals: [StoreUnavailableError],
    response: { data: { ...verification, state: 'running', endedAt: null, rows: 0, percent: 0, ...NOT_FINISHED } },
  },
  'GET /admin/audit-records/verifications/:id': {
    tag: 'Audit log',
    summary: 'Read progress and findings of a verification',
    description:
      'The last 20 results are kept for 7 days, with their first 100 findings. `interrupted` means that its node ' +
      'stopped: start another one. Rows after `coveredTo` can be cut off unnoticed. What the chain proves, and what ' +
      'it does not, is in the reference of the audit log.',
    refusals: [NotFoundError, StoreUnavailableError],
    response: { data: verification },
  },
  'GET /admin/audit-records/export': {
    tag: 'Audit log',
    summary: 'Export audit records',
    description:
      'The export is streamed, and recorded in the audit log. For Excel use `bom=true`, and `separator=semicolon` where the comma is the decimal separator. Both are for `format=csv` only.',
    refusals: [SessionConnectionsExceededError],
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
