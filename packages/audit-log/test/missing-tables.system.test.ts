import { sql } from 'drizzle-orm';
import Fastify from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { AuditSetupError, auditLog } from '../src/index.js';
import { createAuditSettlement, createAuditTables, createPostgresAuditSink } from '../src/postgres.js';
import { makeKey, makeRecord } from './records.js';

it('AUD-14 a start without the tables is refused, and names the call that creates them', async () => {
  const opened = await createTestDatabase();
  onTestFinished(opened.drop);
  const database = opened.connect();
  const start = async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(auditLog, { sink: createPostgresAuditSink({ database, key: makeKey() }) });
    return app.ready();
  };
  const failure = await start().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuditSetupError);
  expect(failure).toHaveProperty(
    'message',
    'createPostgresAuditSink: relation "audit_chain_heads" does not exist: migrate the schema that exports the ' +
      'tables of the audit log, or call createAuditTables(database) of @sallyport/audit-log/postgres',
  );
  await createAuditTables(database);
  await start();

  const sink = createPostgresAuditSink({ database, key: makeKey() });
  onTestFinished(() => sink.close());
  await database.execute(sql`drop table audit_records`);
  await expect(sink.append([makeRecord()])).rejects.toThrow('call createAuditTables(database)');

  await database.execute(sql`drop table audit_pending`);
  await expect(database.transaction(async (tx) => sink.appendWithin(tx, [makeRecord()]))).rejects.toThrow(
    'relation "audit_pending" does not exist: migrate the schema that exports the tables of the audit log, or call',
  );
  const logged: string[] = [];
  const log = { warn: ({ err }: { err: Error }) => void logged.push(err.message) };
  const settlement = createAuditSettlement({
    ...{ database, sink, findOutcome: async () => null, everySeconds: 1 },
    log: log as never,
  });
  onTestFinished(() => settlement.close());
  await vi.waitFor(() => expect(logged[0]).toContain('call createAuditTables(database)'), { timeout: 10_000 });
});

it('AUD-14 a start while the database is away is not refused', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const check = async () => Promise.reject(new Error('connect ECONNREFUSED'));
  await app.register(auditLog, { sink: { append: async () => {}, check } });
  await app.ready();
});
