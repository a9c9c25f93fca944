import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { auditPending } from '../../../src/storage/schema.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { businessState, outcomesOf } from '../../support/business-state.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { writingRequests } from '../../support/writing-requests.js';

/** They change nothing, so that they need no record in advance. */
const HARMLESS = ['POST /admin/storage/simulate', 'POST /admin/audit-records/verify'];

describe('every operation that writes, while a table of the log is away', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  async function whileAway(table: string, work: () => Promise<void>): Promise<void> {
    const { orm } = bench.database;
    const away = sql.identifier(`${table}_away`);
    await orm.execute(sql`alter table ${sql.identifier(table)} rename to ${away}`);
    try {
      await work();
    } finally {
      await orm.execute(sql`alter table ${away} rename to ${sql.identifier(table)}`);
      await vi.waitFor(() => expect(app.auditLog.health().status).toBe('up'), 5000);
    }
  }

  it('AUD-8 nothing is changed if its record can not be committed: 503, and a record that says so', async () => {
    for (const [operation, prepare] of Object.entries(writingRequests)) {
      if (HARMLESS.includes(operation)) continue;
      const request = await prepare({ app, bench, admin });
      const before = await businessState(bench.database);
      let response!: LightMyRequestResponse;
      await whileAway('audit_pending', async () => {
        response = await app.inject(request);
        expect([operation, response.statusCode]).toEqual([operation, 503]);
        expect([operation, await businessState(bench.database)]).toEqual([operation, before]);
      });
      await vi.waitFor(
        async () => expect([operation, await outcomesOf(admin, response)]).toEqual([operation, ['failure']]),
        5000,
      );
    }
  }, 180_000);

  it('AUD-8 USR-5 a recovery that could not be recorded leaves its captcha and its code, also with a key', async () => {
    for (const key of [{}, { 'idempotency-key': randomUUID() }]) {
      const request = await writingRequests['POST /app/auth/recoverPassword']!({ app, bench, admin });
      const recover = async () => (await app.inject({ ...request, headers: key })).statusCode;
      await whileAway('audit_pending', async () => expect(await recover()).toBe(503));
      expect(await recover()).toBe(204);
    }
  }, 30_000);

  it('AUD-8 what was changed has a record, although the chain could not be written', async () => {
    const changed: string[] = [];
    for (const [operation, prepare] of Object.entries(writingRequests)) {
      const request = await prepare({ app, bench, admin });
      const before = JSON.stringify(await businessState(bench.database));
      let response!: LightMyRequestResponse;
      await whileAway('audit_records', async () => {
        response = await app.inject(request);
      });
      if (JSON.stringify(await businessState(bench.database)) === before) continue;
      changed.push(operation);
      await bench.database.orm.update(auditPending).set({ writtenAt: new Date(0) });
      await vi.waitFor(async () => {
        const outcomes = await outcomesOf(admin, response);
        const isSaid = outcomes.includes('success') || outcomes.includes('unknown');
        expect([operation, isSaid]).toEqual([operation, true]);
      }, 8000);
    }
    expect(changed.length).toBeGreaterThan(20);
  }, 300_000);
});
