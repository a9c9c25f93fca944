import { Readable } from 'node:stream';
import { type AuditRecord, canonicalAddress } from '@sallyport/audit-log';
import { type AuditFilter, createAuditReader } from '@sallyport/audit-log/postgres';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ipAddressFormat, ipNetworkFormat } from '../../http/body-formats.js';
import { closedText } from '../../http/closed-text.js';
import { QueryInvalidError } from '../../http/errors.js';
import { cursorInvalid, cursorListOf, cursorQuery } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { millisOf, moment } from '../../http/moments.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { type CsvSeparator, csvHeader, csvLine, type NameOf } from './csv.js';
import { type AccountNames, createRecordNames } from './names/record-names.js';

export interface AuditRecordDependencies extends AccountNames {
  readonly database: ReadableDatabase;
}

const nullableText = Type.Union([Type.String(), Type.Null()]);

const record = Type.Object(
  {
    id: Type.String(),
    occurredAt: Type.Integer(),
    actor: nullableText,
    action: Type.String(),
    target: nullableText,
    outcome: closedText('success', 'failure', 'refused', 'unknown'),
    reason: nullableText,
    durationMillis: Type.Integer(),
    parameters: Type.Unknown(),
    clientIp: nullableText,
    extra: Type.Object({
      requestId: nullableText,
      terminal: nullableText,
      method: nullableText,
      path: nullableText,
      userAgent: nullableText,
      exception: nullableText,
    }),
  },
  { title: 'AuditRecord' },
);

const text = Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\p{Cc}]*$' });

const searchQuery = {
  from: Type.Optional(moment),
  to: Type.Optional(moment),
  actor: Type.Optional(text),
  action: Type.Optional(text),
  actionPrefix: Type.Optional(text),
  reads: Type.Optional(Type.Boolean()),
  ip: Type.Optional(Type.String({ format: ipAddressFormat })),
  network: Type.Optional(Type.String({ format: ipNetworkFormat, maxLength: 64 })),
  target: Type.Optional(Type.String({ minLength: 1, maxLength: 512, pattern: '^[^\\p{Cc}]*$' })),
  reason: Type.Optional(text),
  outcome: Type.Optional(
    Type.Union([Type.Literal('success'), Type.Literal('failure'), Type.Literal('refused'), Type.Literal('unknown')]),
  ),
  requestId: Type.Optional(text),
};

const searchSchema = Type.Object(searchQuery);

/** With the names of the accounts that are actors or targets, so that a page needs one request and one record. */
const recordList = Type.Object(
  {
    ...cursorListOf(record).properties,
    actors: Type.Union([Type.Array(Type.Object({ actor: Type.String(), username: Type.String() })), Type.Null()]),
  },
  { title: 'AuditRecordList' },
);

/** A place in the chain. */
const SEQUENCE = /^[0-9]{1,15}$/;

/** Records that an export names by one look, and sends at once. */
const BATCH_RECORDS = 200;

const NOBODY: ReadonlyMap<string, string> = new Map();

/** Excel takes a CSV file without it for text in the code page of the system. */
const BYTE_ORDER_MARK = '\ufeff';

const exportQuery = {
  format: Type.Union([Type.Literal('csv'), Type.Literal('ndjson')]),
  /** For CSV only: whether a byte-order mark is at the start. Default false. */
  bom: Type.Optional(Type.Boolean()),
  /** For CSV only. Default comma. */
  separator: Type.Optional(Type.Union([Type.Literal('comma'), Type.Literal('semicolon')])),
};

interface ExportFormat {
  readonly contentType: string;
  /** Before the first record. */
  readonly start: string;
  line(record: AuditRecord, nameOf: NameOf): string;
}

function csvFormat(separator: CsvSeparator, hasMark: boolean): ExportFormat {
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    start: `${hasMark ? BYTE_ORDER_MARK : ''}${csvHeader(separator)}`,
    line: (each, nameOf) => csvLine(each, separator, nameOf),
  };
}

const ndjson: ExportFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  start: '',
  line: (each) => `${JSON.stringify(each)}\n`,
};

/** `GET /admin/audit-records` and `GET /admin/audit-records/export` (AUD-5). Reading the log is recorded too. */
export async function auditRecordRoutes(app: App, { database, ...accounts }: AuditRecordDependencies): Promise<void> {
  const names = createRecordNames(accounts);
  const auditReader = createAuditReader({ database: database.reading });
  /** A target that names an account is looked for by its id and by its name. */
  async function filterOf(request: FastifyRequest, query: Static<typeof searchSchema>): Promise<AuditFilter> {
    const { from, to, ip, target: typed, ...rest } = query;
    const { actor, action, actionPrefix, reads, network, reason, outcome, requestId } = rest;
    const target = typed === undefined ? undefined : await names.targetsOf(request, typed);
    return {
      from: millisOf(from),
      to: millisOf(to),
      ip: canonicalAddress(ip) ?? undefined,
      actor,
      action: action?.split(',').map((each) => each.trim()),
      actionPrefix,
      reads,
      network,
      target,
      reason,
      outcome,
      requestId,
    };
  }

  app.get(
    '/admin/audit-records',
    {
      config: { access: 'admin', permission: 'api:admin:audit-records:list', audit: 'audit-record' },
      schema: {
        querystring: Type.Object({ ...searchQuery, ...cursorQuery }, { additionalProperties: false }),
        response: { 200: recordList },
      },
    },
    async function searchAuditRecords(request) {
      const { query } = request;
      const filter = await filterOf(request, query);
      const nameOf = await names.reader(request);
      const actorsOf = async (records: readonly AuditRecord[]) =>
        nameOf === null ? null : [...(await nameOf(records))].map(([actor, username]) => ({ actor, username }));
      const { page: number, size, after } = query;
      if (after !== undefined) {
        if (!SEQUENCE.test(after)) throw cursorInvalid();
        const following = auditReader.searchAfter(filter, { after: Number(after), size });
        const { records, next } = await withinLimit(following);
        return { data: [...records], page: { size, next: cursorOf(next) }, actors: await actorsOf(records) };
      }
      const { records, page } = await withinLimit(auditReader.search(filter, { number, size }));
      const shown = { ...page, next: cursorOf(page.next) };
      return { data: [...records], page: shown, actors: await actorsOf(records) };
    },
  );

  app.get(
    '/admin/audit-records/export',
    {
      exposeHeadRoute: false,
      config: {
        access: 'admin',
        permission: 'api:admin:audit-records:export',
        audit: { action: 'audit-record.export' },
        // An envelope can't carry a download.
        bypassEnvelope: true,
      },
      schema: {
        querystring: Type.Object({ ...searchQuery, ...exportQuery }, { additionalProperties: false }),
      },
    },
    async function exportAuditRecords(request, reply) {
      const { query } = request;
      const { format, bom, separator } = query;
      const misplaced = Object.entries({ bom, separator }).filter(([, value]) => value !== undefined);
      if (format === 'ndjson' && misplaced.length > 0) {
        throw new QueryInvalidError(
          misplaced.map(([name]) => ({ pointer: `/${name}`, detail: `${name} is for format=csv only` })),
        );
      }
      const { contentType, start, line } = format === 'csv' ? csvFormat(separator ?? 'comma', bom ?? false) : ndjson;
      const filter = await filterOf(request, query);
      const nameOf = format === 'csv' ? await names.reader(request) : null;
      async function* lines(): AsyncGenerator<string> {
        if (start !== '') yield start;
        for await (const batch of batchesOf(auditReader.export(filter))) {
          const named = (await nameOf?.(batch)) ?? NOBODY;
          yield batch.map((each) => line(each, (actor) => named.get(actor))).join('');
        }
      }
      return reply
        .type(contentType)
        .header('content-disposition', `attachment; filename="audit-records.${format}"`)
        .send(Readable.from(lines(), { objectMode: false }));
    },
  );
}

async function* batchesOf(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord[]> {
  let batch: AuditRecord[] = [];
  for await (const each of records) {
    batch.push(each);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function cursorOf(next: number | null): string | null {
  return next === null ? null : String(next);
}
