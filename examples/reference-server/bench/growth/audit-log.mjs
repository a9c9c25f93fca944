// The audit log by its number of records: append, each filter of the search, deep pages, export, verification and
// retention, on PostgreSQL with its default settings, fsync included.
import { randomBytes } from 'node:crypto';
import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  createAuditReader,
  createAuditTables,
  createPostgresAuditSink,
  generateCheckpointKey,
  parseAuditKey,
  parseCheckpointKey,
  retainAuditRecords,
  verifyAuditLog,
} from '@sallyport/audit-log/postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { startPostgresProcess } from '../../../../scripts/postgres-process.ts';
import { fillAuditLog, requestIdOfRow, timeOfRow } from './audit-rows.mjs';
import { createResults, medianTime } from './times.mjs';

const IN_FLIGHT = 64;
const APPEND_MILLIS = 3000;
/** Rows that one run of retention deletes. */
const RETAINED = 2000;
/** An export is read up to this number of rows. */
const EXPORTED = 100_000;
const HOUR_MILLIS = 3_600_000;

/** The searches of a log with this number of records. */
function searchesOf(rows) {
  const middle = Math.floor(rows / 2);
  return {
    'no filter': {},
    actor: { actor: 'admin:7' },
    action: { action: 'payment.create' },
    'action, a rare one': { action: 'role.update' },
    'beginning of the action': { actionPrefix: 'parameter.' },
    'without reads': { reads: false },
    address: { ip: '10.0.3.7' },
    'outcome=failure': { outcome: 'failure' },
    'outcome=failure and an action': { outcome: 'failure', action: 'payment.create' },
    'outcome=failure and an actor': { outcome: 'failure', actor: 'admin:7' },
    'actor and action': { actor: 'admin:7', action: 'payment.create' },
    'request id': { requestId: requestIdOfRow(middle) },
    'an old hour': { from: timeOfRow(middle), to: timeOfRow(middle) + HOUR_MILLIS },
  };
}

async function appendsPerSecond(database, key) {
  const sink = createPostgresAuditSink({ database, key, timeoutMillis: 60_000 });
  const nextId = createRecordIds(Date.now);
  let appended = 0;
  let isOver = false;
  const keepAppending = async () => {
    while (!isOver) {
      const event = { action: 'payment.create', actor: 'admin:7', parameters: { payee: 'Ada', amount: '12.50' } };
      await sink.append([createAuditRecord(event, { id: nextId(), occurredAt: Date.now() })]);
      appended += 1;
    }
  };
  const ending = setTimeout(() => (isOver = true), APPEND_MILLIS);
  const began = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAppending));
  clearTimeout(ending);
  return (appended * 1000) / (performance.now() - began);
}

async function exportsPerSecond(reader) {
  const began = performance.now();
  let rows = 0;
  for await (const _ of reader.export({})) if (++rows === EXPORTED) break;
  return (rows * 1000) / (performance.now() - began);
}

/** The time of a part of the log that begins with its first row. */
async function retentionsPerSecond(given, first) {
  const before = timeOfRow(first + RETAINED);
  const began = performance.now();
  const { deleted } = await retainAuditRecords({ ...given, before, checkpoint: async () => {} });
  if (deleted !== RETAINED) throw new Error(`retention deleted ${deleted} rows instead of ${RETAINED}`);
  return (deleted * 1000) / (performance.now() - began);
}

/** @param sizes numbers of records, in ascending order */
export async function measureAuditLog({ sizes, say }) {
  const server = await startPostgresProcess();
  const client = postgres(server.url, { max: 10, fetch_types: false, onnotice: () => {} });
  try {
    const database = drizzle(client);
    await createAuditTables(database);
    const key = parseAuditKey(`growth:${randomBytes(32).toString('hex')}`);
    const checkpointKey = parseCheckpointKey(generateCheckpointKey('growth').privateKey);
    await client`insert into audit_chain_heads (chain, sequence, mac)
      values ('audit_records', 0, ${Buffer.alloc(32).toString('base64url')})`;
    const reader = createAuditReader({ database });
    const { measured, note } = createResults('search', 'rates', 'disk');
    let first = 1;
    for (const size of sizes) {
      const began = performance.now();
      await fillAuditLog(client, key, size);
      say(`${size} records, filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
      const [{ bytes }] = await client`select pg_total_relation_size('audit_records')::float8 as bytes`;
      note('disk', 'table and indexes', size, bytes / size);
      for (const [name, filter] of Object.entries(searchesOf(size))) {
        note('search', name, size, await medianTime(() => reader.search(filter)));
      }
      note('search', 'page 400 of 20', size, await medianTime(() => reader.search({}, { number: 400 })));
      const after = Math.floor(size / 2);
      note('search', 'after a record in the middle', size, await medianTime(() => reader.searchAfter({}, { after })));
      note('rates', 'export', size, await exportsPerSecond(reader));
      const verifying = performance.now();
      const { intact, rows } = await verifyAuditLog({ database, key, publicKeys: [checkpointKey.publicKey] });
      if (!intact) throw new Error('the filled log is not intact');
      note('rates', 'verification', size, (rows * 1000) / (performance.now() - verifying));
      note('rates', 'retention', size, await retentionsPerSecond({ database, key, checkpointKey }, first));
      first += RETAINED;
      note('rates', 'append, 64 in flight', size, await appendsPerSecond(database, key));
    }
    return measured;
  } finally {
    await client.end({ timeout: 5 });
    await server.stop();
  }
}
