import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { auditLog } from '../src/index.js';
import { auditRecords, createAuditTables, createPostgresAuditSink } from '../src/postgres.js';

it('AUD-4 REL-3 the health is up again without a request once records can be committed, whichever table was away', async () => {
  const client = await openTestEmbedded();
  const orm = drizzle(client);
  await createAuditTables(orm);
  const sink = createPostgresAuditSink({
    database: orm,
    key: { id: 'k', secret: randomBytes(32) },
    timeoutMillis: 300,
  });
  const app = Fastify();
  await app.register(auditLog, { sink, retryMillis: 20 });
  app.get('/things', { config: { audit: 'thing' } }, async () => ({}));
  expect((await app.inject('/things')).statusCode).toBe(200);
  // The record of a read needs no pending row.
  const statuses = { audit_records: 503, audit_chain_heads: 503, audit_pending: 200 };
  for (const [table, status] of Object.entries(statuses)) {
    await orm.execute(sql`alter table ${sql.identifier(table)} rename to gone`);
    await expect(sink.check()).rejects.toThrow();
    expect((await app.inject('/things')).statusCode).toBe(status);
    expect(app.auditLog.health().status).toBe(status === 503 ? 'down' : 'up');
    await orm.execute(sql`alter table gone rename to ${sql.identifier(table)}`);
    await vi.waitFor(() => expect(app.auditLog.health().status).toBe('up'));
  }
  const { length } = await orm.select().from(auditRecords);
  await sink.check();
  expect(await orm.select().from(auditRecords)).toHaveLength(length);
  await app.close();
  await client.close();
});
