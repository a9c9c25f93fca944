// `node --import tsx packages/audit-log/bench/group-commit.mjs [rounds]`: rows per second of the audit log's group
// commit and its chain, compared with one insert per request (PRF-5). Each request in flight appends one record and
// waits for its commit. It prints the median of the rounds and its ratio to plain inserts of the same number of nodes.
// A node is a process with a pool of ten connections. PostgreSQL runs with its defaults, fsync included: that of
// `DATABASE_URL`, or one started here. It asserts nothing, since results on a shared machine vary.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { startPostgresProcess } from '../../../scripts/postgres-process.ts';
import { createAuditRecord, createRecordIds } from '../src/index.ts';
import {
  createAuditTables,
  createPostgresAuditSink,
  defineAuditRecords,
  parseAuditKey,
  verifyAuditLog,
} from '../src/postgres.ts';

const IN_FLIGHT = 64;
const SECONDS = 3;
const WARM_UP_SECONDS = 1;

/** The same columns and indexes, without a chain. */
const plainRecords = defineAuditRecords('plain_records');

const nextId = createRecordIds(Date.now);
const makeRecord = () =>
  createAuditRecord(
    {
      actor: 'admin:42',
      action: 'payment.create',
      target: 'payment:7',
      parameters: { payee: 'Ada Lovelace', amount: '12.50', note: 'for the engine' },
      durationMillis: 12,
      clientIp: '203.0.113.7',
    },
    { id: nextId(), occurredAt: Date.now() },
  );

/** Returns a function that appends one record in the given way. It resolves at the commit. */
function appender(way, database, key) {
  const sink = createPostgresAuditSink({ database, key, timeoutMillis: 60_000 });
  switch (way) {
    case 'group commit and chain':
      return () => sink.append([makeRecord()]);
    case 'with a change, then group commit':
      return async () => {
        const record = makeRecord();
        await database.transaction((transaction) => sink.appendWithin(transaction, [record]));
        await sink.append([record]);
      };
    default:
      return () => {
        const { id, occurredAt, ...record } = makeRecord();
        // The sequence is derived from the id, so that it is unique.
        const sequence = Number(BigInt(`0x${id.replaceAll('-', '')}`) & 0x1fffffffffffffn);
        const chained = { sequence, previous: randomBytes(32).toString('base64url'), mac: id, keyId: 'none' };
        return database.insert(plainRecords).values({ id, occurredAt: new Date(occurredAt), ...record, ...chained });
      };
  }
}

async function node({ url, way, key }) {
  const client = postgres(url, { max: 10, fetch_types: false });
  const append = appender(way, drizzle(client), parseAuditKey(key));
  let rows = 0;
  let running = true;
  const requests = Array.from({ length: IN_FLIGHT }, async () => {
    while (running) {
      await append();
      rows += 1;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_SECONDS * 1000));
  const before = rows;
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const perSecond = ((rows - before) * 1000) / (performance.now() - began);
  running = false;
  await Promise.all(requests);
  await client.end();
  return perSecond;
}

/** Rows per second of all nodes together. */
async function measure(nodes, task) {
  const each = Array.from({ length: nodes }, async () => {
    const child = fork(fileURLToPath(import.meta.url), ['node'], { execArgv: ['--import', 'tsx'] });
    child.send(task);
    const [perSecond] = await once(child, 'message');
    return perSecond;
  });
  return (await Promise.all(each)).reduce((sum, perSecond) => sum + perSecond, 0);
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

async function main() {
  const rounds = Number(process.argv[2] ?? 3);
  const given = process.env.DATABASE_URL;
  const server = given ? null : await startPostgresProcess();
  const url = given ?? server.url;
  const key = `bench:${randomBytes(32).toString('hex')}`;
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const database = drizzle(client);
  await createAuditTables(database);
  await createAuditTables(database, { table: plainRecords });

  const ways = ['one insert per request', 'with a change, then group commit', 'group commit and chain'];
  const results = [1, 2].flatMap((nodes) => ways.map((way) => ({ nodes, way, rates: [] })));
  for (let round = 0; round < rounds; round += 1) {
    for (const { nodes, way, rates } of results) rates.push(await measure(nodes, { url, way, key }));
  }
  for (const { nodes, way, rates } of results) {
    const plain = median(results.find((one) => one.nodes === nodes).rates);
    const ratio = (median(rates) / plain).toFixed(2);
    const rate = median(rates).toFixed(0).padStart(7);
    process.stdout.write(`${nodes} node${nodes > 1 ? 's' : ' '}  ${way.padEnd(34)}${rate} rows/s  ${ratio}\n`);
  }
  const began = performance.now();
  const { intact, rows } = await verifyAuditLog({ database, key: parseAuditKey(key) });
  const perSecond = (rows * 1000) / (performance.now() - began);
  process.stdout.write(
    `the chain of ${rows} rows ${intact ? 'holds' : 'DOES NOT HOLD'}; verified ${perSecond.toFixed(0)} rows/s\n`,
  );
  await client.end();
  await server?.stop();
}

if (process.argv[2] === 'node') {
  process.once('message', async (task) => {
    process.send(await node(task));
    process.disconnect();
  });
} else await main();
