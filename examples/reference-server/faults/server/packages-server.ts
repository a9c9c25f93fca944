// Payments by the packages alone, with either driver: the reference server has one, and refuses poolers (REL-15).
import auditLog from '@sallyport/audit-log';
import {
  createAuditedChanges,
  createAuditTables,
  createPostgresAuditSink,
  parseAuditKey,
} from '@sallyport/audit-log/postgres';
import idempotency from '@sallyport/idempotency';
import { createIdempotencyRecordsTable, createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import Fastify from 'fastify';
import postgres from 'postgres';
import { v7 as uuidv7 } from 'uuid';
import { countPool } from './pool-counts.js';

const {
  FAULT_DRIVER: driver,
  FAULT_DRIVER_OPTIONS: options = '{}',
  SERVICE_DATABASE_URL: url = '',
  SERVICE_PORT: port,
  SERVICE_AUDIT_CHAIN_KEY: key = '',
  SERVICE_IDEMPOTENCY_LEASE_SECONDS: leaseSeconds,
} = process.env;

const MAX_CLIENTS = 5;

/** By it PostgreSQL knows the connections of this process. */
const application_name = `node-${port}`;

/** More than a lock of the harness lasts would let a client wait in vain. */
const TIMEOUT_MILLIS = 2000;

function connect(): PgDatabase<PgQueryResultHKT> & { readonly $client: object } {
  if (driver === 'postgres.js') {
    // Without `fetch_types` a cut connection may end the process: nobody waits for the driver's own query.
    const own = { max: MAX_CLIENTS, connect_timeout: 2, fetch_types: false, onnotice: () => {}, backoff: () => 0.2 };
    return drizzlePostgresJs(postgres(url, { ...own, connection: { application_name }, ...JSON.parse(options) }));
  }
  const own = { connectionString: url, max: MAX_CLIENTS, connectionTimeoutMillis: 2000, application_name };
  const pooled = drizzleNodePostgres({ connection: own });
  pooled.$client.on('error', () => {});
  pooled.$client.on('connect', (client: typeof pooled.$client) => void client.on('error', () => {}));
  return pooled;
}

const database = connect();
await createIdempotencyRecordsTable(database);
await createAuditTables(database);
await database.execute(sql`create table if not exists payments (id uuid primary key, payee text not null)`);

const sink = createPostgresAuditSink({ database, key: parseAuditKey(key), sweepSeconds: 2 });
const changes = createAuditedChanges({ database, sink });
const app = Fastify({ logger: { level: 'fatal', file: '/dev/null' } });
await app.register(auditLog, { sink });
await app.register(idempotency, {
  store: createPostgresIdempotencyStore({ database, timeoutMillis: TIMEOUT_MILLIS }),
  leaseSeconds: Number(leaseSeconds),
  principalOf: () => 'load',
});

app.get('/actuator/health', { config: { audit: false } }, () => ({ status: 'UP' }));
app.get('/pool', { config: { audit: false } }, () => countPool(database, MAX_CLIENTS));

app.post<{ Body: { readonly payee: string } }>(
  '/admin/payments',
  {
    config: {
      audit: { resource: 'payment', changes: 'in-handler' },
      idempotency: { transactional: true },
    },
  },
  async (request, reply) => {
    const id = uuidv7();
    await changes.change({ request }, async (transaction, record) => {
      await transaction.execute(sql`insert into payments (id, payee) values (${id}, ${request.body.payee})`);
      record({ target: id });
      await request.idempotency?.completeWithin(transaction);
    });
    return reply.code(201).send({ data: { id } });
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
