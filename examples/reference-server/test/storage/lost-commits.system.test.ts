import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CommitProxy, startCommitProxy } from '../../../../scripts/commit-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type App, buildApp } from '../../src/app.js';
import type { Database } from '../../src/storage/database.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { type Actor, roomyConfig, root } from '../support/accounts.js';
import { businessState, outcomesOf } from '../support/business-state.js';
import type { TestBench } from '../support/test-app.js';
import { writingOperations, writingRequests } from '../support/writing-requests.js';

/** They change nothing, or by single statements, which PostgreSQL commits by itself. */
const WITHOUT_COMMIT = [
  'POST /admin/auth/login',
  'POST /app/auth/sendSmsCode',
  'POST /admin/storage/simulate',
  'POST /admin/audit-records/verify',
];

/** It ends the sessions of the account before it changes the password. They end whatever becomes of that. */
const ENDS_SESSIONS_FIRST = 'POST /app/auth/recoverPassword';

/** Every operation that may change something. */

describe('a pooler that makes a rollback of each commit', () => {
  let database: TestDatabase;
  let proxy: CommitProxy;
  let direct: ReturnType<typeof drizzle>;
  let folder: string;
  let app: App;
  let admin: Actor;
  const requests = new Map<string, InjectOptions>();

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startCommitProxy(database.url);
    direct = drizzle(database.url);
    direct.$client.on('error', () => {});
    folder = await mkdtemp(join(tmpdir(), 'sallyport-lost-commits-'));
    const config = roomyConfig(proxy.url, folder);
    app = await buildApp(config);
    admin = await root(app);
    // Its `execute` resolves to rows as that of the embedded database does.
    const bench = { database: { orm: direct }, config: () => config } as unknown as TestBench;
    for (const operation of writingOperations) {
      requests.set(operation, await writingRequests[operation]!({ app, bench, admin }));
    }
  }, 180_000);
  afterAll(async () => {
    await app.close();
    await direct.$client.end();
    await proxy.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('REL-14 makes no operation succeed that changes something, and no record says that it did', async () => {
    const stateOf = () => businessState({ orm: direct as unknown as Database['orm'] });
    const answers = new Map<string, LightMyRequestResponse>();
    proxy.turnCommits(true);
    for (const [operation, request] of requests) {
      const { turned } = proxy;
      const before = await stateOf();
      const response = await app.inject(request);
      if (WITHOUT_COMMIT.includes(operation)) {
        expect([operation, proxy.turned]).toEqual([operation, turned]);
        continue;
      }
      expect([operation, proxy.turned]).not.toEqual([operation, turned]);
      expect([operation, response.statusCode]).toEqual([operation, 503]);
      const { sessions, ...after } = await stateOf();
      expect([operation, after]).toEqual([operation, { ...before, sessions: undefined }]);
      if (operation !== ENDS_SESSIONS_FIRST) expect([operation, sessions]).toEqual([operation, before.sessions]);
      answers.set(operation, response);
    }
    proxy.turnCommits(false);
    expect(answers.size).toBeGreaterThan(25);
    await vi.waitFor(async () => {
      for (const [operation, response] of answers) {
        // Unknown is what was begun and may have taken effect outside of the transaction.
        const outcomes = [expect.stringMatching(/^(?:failure|unknown)$/)];
        expect([operation, await outcomesOf(admin, response)]).toEqual([operation, outcomes]);
      }
    }, 10_000);
  }, 180_000);

  it('REL-14 IDM-7 lets no retry of a lost payment succeed twice, or without its row', async () => {
    const payee = randomUUID();
    const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
    const pay = async () =>
      (await app.inject({ method: 'POST', url: '/admin/payments', headers, payload: { payee, amount: '12.50' } }))
        .statusCode;
    proxy.turnCommits(true);
    const lost = await pay();
    proxy.turnCommits(false);
    const statuses = [lost, await pay(), await pay()];
    const { rows } = await direct.execute(sql`select 1 from payments where payee = ${payee}`);
    expect(lost).toBe(503);
    expect(rows).toHaveLength(statuses.filter((status) => status === 201).length);
  });

  it('REL-14 makes a start fail that migrates, and leaves nothing', async () => {
    const own = await createTestDatabase();
    const lossy = await startCommitProxy(own.url);
    lossy.turnCommits(true);
    await expect(openPostgres(lossy.url)).rejects.toThrow(/answered the commit with ROLLBACK/);
    const rest = await own.connect().execute("select 1 from pg_tables where schemaname in ('public', 'bullmq')");
    expect(rest).toHaveLength(0);
    await lossy.close();
    await own.drop();
  });
});
