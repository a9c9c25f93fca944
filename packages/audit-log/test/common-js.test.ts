import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { auditLog } from '../src/index.js';
import {
  type AuditStatement,
  createAuditedChanges,
  createAuditReader,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  verifyAuditLog,
} from '../src/postgres.js';

/** drizzle as an application in CommonJS loads it: other copies of the classes than those of this package. */
const require = createRequire(import.meta.url);
const { drizzle } = require('drizzle-orm/pglite') as typeof import('drizzle-orm/pglite');
const { sql } = require('drizzle-orm') as typeof import('drizzle-orm');
const errors = require('drizzle-orm/errors') as typeof import('drizzle-orm/errors');

const key = { id: 'k', secret: randomBytes(32) };

describe('an application in CommonJS', () => {
  let database: ReturnType<typeof drizzle>;
  let sink: PostgresAuditSink;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const client = await openTestEmbedded();
    database = drizzle(client);
    close = async () => {
      await sink.close();
      await client.close();
    };
    await createAuditTables(database);
    sink = createPostgresAuditSink({ database, key });
  });
  afterAll(() => close());

  /** The status of a request whose change is completed by a statement with this condition. */
  async function changeWith(condition: AuditStatement): Promise<number> {
    const app = Fastify();
    const { change } = createAuditedChanges({
      database,
      sink,
      complete: (transaction, _request, insertRecord) =>
        transaction.execute(insertRecord(condition) as never).then(() => {}),
    });
    // The plugin closes its sink with the server; this one is used again.
    await app.register(auditLog, { sink: { append: sink.append, begin: sink.begin } });
    app.post('/orders', { config: { audit: { resource: 'order', changes: 'in-handler' } } }, (request) =>
      change({ request }, async () => ({ data: null })),
    );
    const { statusCode } = await app.inject({ method: 'POST', url: '/orders' });
    await app.close();
    return statusCode;
  }

  it('ADP-7 AUD-8 commits a change with its record, through statements of its own copy of drizzle', async () => {
    expect(errors.DrizzleQueryError).not.toBe(DrizzleQueryError);
    const condition = sql`txid_current() is not null and ${1} = 1`;
    expect(await changeWith(condition)).toBe(200);
    const { records } = await createAuditReader({ database }).search({ action: 'order.create' });
    expect(records).toHaveLength(1);
    expect(await verifyAuditLog({ database, key })).toMatchObject({ intact: true });
  });

  it('AUD-8 a failed statement of the record refuses the change with 503', async () => {
    expect(await changeWith(sql`1 / (select 0) = 1`)).toBe(503);
  });
});
