import { drizzle } from 'drizzle-orm/pglite';
import Fastify from 'fastify';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { auditLog } from '../../src/index.js';
import {
  type AuditReader,
  createAuditReader,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  type StoredAuditRecord,
} from '../../src/postgres.js';
import { completionId } from '../../src/records/index.js';
import { makeKey, makeRecord, makeRecords } from '../records.js';

let sink: PostgresAuditSink;
let reader: AuditReader;

beforeEach(async () => {
  const client = await openTestEmbedded();
  const database = drizzle(client);
  await createAuditTables(database);
  sink = createPostgresAuditSink({ database, key: makeKey(), timeoutMillis: 15_000 });
  reader = createAuditReader({ database });
  onTestFinished(async () => {
    await sink.close();
    await client.close();
  });
});

async function exported(records: AsyncIterable<StoredAuditRecord>) {
  const all: StoredAuditRecord[] = [];
  for await (const record of records) all.push(record);
  return all.map(({ target, outcome }) => [target, outcome]);
}

it('AUD-5 AUD-8 an operation whose completion has an unknown outcome is listed once', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(auditLog, { sink });
  app.post('/mails', { config: { audit: 'mail' } }, async (request) => {
    request.audit?.set({ target: 'mail 1', outcome: 'unknown' });
    return {};
  });
  expect((await app.inject({ method: 'POST', url: '/mails' })).statusCode).toBe(200);
  // Its begun record may be in the chain as well.
  const begun = makeRecord({ target: 'mail 2', outcome: 'unknown' });
  await sink.append([begun]);
  await sink.append([{ ...begun, id: completionId(begun.id) }]);

  const listed = [
    ['mail 1', 'unknown'],
    ['mail 2', 'unknown'],
  ];
  for (const filter of [{}, { outcome: 'unknown' }] as const) {
    expect(await exported(reader.export(filter))).toEqual(listed);
    const { records, page } = await reader.search(filter);
    expect([records.map(({ target }) => target), page.total]).toEqual([['mail 2', 'mail 1'], 2]);
  }
});

it('AUD-5 AUD-8 an operation that is completed while an export runs is exported as begun', async () => {
  const begun = makeRecord({ target: 'late', outcome: 'unknown' });
  await sink.append(makeRecords(500));
  await sink.append([begun]);
  const records = reader.export();
  await records.next();
  await sink.append([{ ...begun, id: completionId(begun.id), outcome: 'success' }]);
  expect((await exported(records)).at(-1)).toEqual(['late', 'unknown']);
  expect((await exported(reader.export())).at(-1)).toEqual(['late', 'success']);
});
