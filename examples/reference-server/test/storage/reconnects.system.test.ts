import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PoolMode, USUAL_REMEDY } from '../../../../scripts/pgbouncer-process.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type App, buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { type Actor, roomy, root } from '../support/accounts.js';
import { openPoolerBetween } from '../support/pooler-between.js';

describe.skipIf(lacks('pgbouncer'))('the server after a reconnect to something else', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function startServer(url: string): Promise<App> {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-reconnects-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const app = await buildApp(
      readConfig({
        ...roomy,
        SERVICE_PROFILE: 'development',
        SERVICE_LOG_LEVEL: 'silent',
        SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
        SERVICE_DATA_DIR: folder,
        SERVICE_DATABASE_URL: url,
      }),
    );
    ends.push(() => app.close());
    return app;
  }

  it.each([
    ['session', [USUAL_REMEDY]],
    ['transaction', [USUAL_REMEDY, 'default_pool_size = 3']],
    ['transaction', []],
  ] as const)(
    'REL-15 refuses by 503 behind %s mode with %j, loses nothing, and serves again',
    { timeout: 120_000 },
    async (mode, settings) => {
      const { own, ...way } = await openPoolerBetween(ends, mode, ...settings);
      const app = await startServer(way.url);
      const admin: Actor = await root(app);
      const isReady = async () => (await app.inject('/actuator/health')).statusCode === 200;
      expect(await isReady()).toBe(true);

      const paid: string[] = [];
      let isRefusing = false;
      let paidBehind = 0;
      const statuses = new Set<number>();
      let isPaying = true;
      async function pay(): Promise<number> {
        const payee = randomUUID();
        const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
        // What began before the cut may have been committed before it, and is answered afterwards.
        const beganBehind = isRefusing;
        const answer = await app.inject({
          method: 'POST',
          url: '/admin/payments',
          headers,
          payload: { payee, amount: '12.50' },
        });
        if (answer.statusCode === 201) {
          paid.push(payee);
          if (beganBehind) paidBehind += 1;
        }
        return answer.statusCode;
      }
      const payers = Array.from({ length: 12 }, async () => {
        while (isPaying) {
          statuses.add(await pay());
          await sleep(5);
        }
      });
      ends.push(async () => {
        isPaying = false;
        await Promise.all(payers);
      });
      await sleep(1000);
      way.redirectToPooler();
      await vi.waitFor(async () => expect(await isReady()).toBe(false), 20_000);
      isRefusing = true;
      // Long enough for each connection to be opened again.
      for (const end = Date.now() + 2500; Date.now() < end; ) {
        expect(new Set(await Promise.all(Array.from({ length: 20 }, pay)))).toEqual(new Set([503]));
        expect(await isReady()).toBe(false);
      }
      expect(paidBehind).toBe(0);
      isRefusing = false;
      way.redirectToPostgres();
      await vi.waitFor(async () => expect(await isReady()).toBe(true), 30_000);
      await vi.waitFor(async () => expect(await pay()).toBe(201), 20_000);
      isPaying = false;
      await Promise.all(payers);

      const rows = await own.connect().execute<{ payee: string }>(sql`select payee from payments`);
      const stored = [...rows].map(({ payee }) => payee);
      process.stdout.write(
        `${mode}, ${settings.length} settings: ${paid.length} paid, ${stored.length} rows, answers ${[...statuses]}\n`,
      );
      expect([...statuses].sort()).toEqual([201, 503]);
      expect(new Set(stored).size).toBe(stored.length);
      expect(paid.filter((payee) => !stored.includes(payee))).toEqual([]);
    },
  );

  it('REL-15 names the setting that the new connection lacks, to reads and writes', async () => {
    const way = await openPoolerBetween(ends, 'session', USUAL_REMEDY);
    const database = await openPostgres(way.url);
    ends.push(() => database.close());
    await database.orm.execute(sql`select 1`);
    way.redirectToPooler();
    const named = /search_path is "\$user", public, although "public" was asked for/;
    const reasonOf = (call: () => Promise<unknown>) =>
      call().then(String, (error: Error) => String(error.cause ?? error));
    const calls = [
      () => database.orm.execute(sql`select 1`),
      () => database.reading.select({ one: sql`1` }).from(sql`(values (1)) as t`).execute(),
      () => database.orm.transaction(async (transaction) => void (await transaction.execute(sql`select 1`))),
    ];
    for (const call of calls) await expect.poll(() => reasonOf(call), { timeout: 5000 }).toMatch(named);
  });

  it('REL-15 a transaction on a connection that nobody doubted yet is aborted by its own proof', async () => {
    const { own, ...way } = await openPoolerBetween(ends, 'session', USUAL_REMEDY);
    const database = await openPostgres(way.url);
    ends.push(() => database.close());
    await own.connect().execute(sql`create table things (name text)`);
    // The pool opens its connections one after the other: no close tells that the later ones lead elsewhere.
    way.leadToPooler();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        database.orm.transaction(async (transaction) => {
          await transaction.execute(sql`insert into public.things values (${String(index)})`);
          await sleep(100);
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
    expect(String((outcomes[0] as PromiseRejectedResult).reason)).toMatch(/search_path is /);
    expect([...(await own.connect().execute(sql`select * from things`))]).toEqual([]);
  });

  /** A server whose first connection is proved, on a way that leads later ones to a pooler. */
  async function openProved(mode: PoolMode) {
    const { own, ...way } = await openPoolerBetween(ends, mode, USUAL_REMEDY);
    const pool = own.connect();
    await pool.execute(sql`create table things (name text)`);
    const database = await openPostgres(way.url);
    ends.push(() => database.close());
    const insert = (name: string) =>
      database.orm.transaction(async (transaction) => {
        await transaction.execute(sql`insert into public.things values (${name})`);
        await sleep(100);
      });
    await insert('first');
    await insert('second');
    way.leadToPooler();
    return {
      way,
      pool,
      /** Each on a connection of its own. Resolves to the reasons of those that failed, and null for the others. */
      insertAtOnce: async (...names: string[]) =>
        (await Promise.allSettled(names.map(insert))).map((outcome) =>
          outcome.status === 'rejected' ? String(outcome.reason) : null,
        ),
      stored: async () =>
        [...(await pool.execute<{ name: string }>(sql`select name from things`))].map(({ name }) => name),
    };
  }

  it.each(['session', 'transaction'] as const)(
    'REL-15 what is proved on one connection counts for no other one, which leads to a pooler in %s mode',
    async (mode) => {
      const { way, insertAtOnce, stored } = await openProved(mode);
      const foreign = expect.stringMatching(/search_path is /);
      // The first one takes the open connection. The others need new ones.
      expect(await insertAtOnce('third', 'behind', 'behind')).toEqual([null, foreign, foreign]);
      way.leadToPostgres();
      const isServing = async () => (await insertAtOnce('again'))[0] === null;
      await expect.poll(isServing, { timeout: 5000 }).toBe(true);
      // Both connections to the pooler are still open.
      const reasons = (await insertAtOnce(...Array.from({ length: 12 }, () => 'later'))).filter((it) => it !== null);
      expect(reasons.length).toBeGreaterThan(0);
      for (const reason of reasons) expect(reason).toMatch(/other settings than were asked for/);
      expect((await stored()).sort()).toEqual([
        ...['again', 'first'],
        ...Array.from({ length: 12 - reasons.length }, () => 'later'),
        ...['second', 'third'],
      ]);
    },
  );

  it('REL-15 a new connection to a pooler that has the settings, and shares sessions, stops what follows', async () => {
    const { pool, insertAtOnce } = await openProved('transaction');
    const name = sql.identifier(
      (await pool.execute<{ name: string }>(sql`select current_database() as name`))[0]!.name,
    );
    await pool.transaction(async (transaction) => {
      for (const [setting, value] of [
        ['search_path', '"public"'],
        ['statement_timeout', '5000'],
        ['idle_in_transaction_session_timeout', '1000'],
      ] as const) {
        await transaction.execute(sql`select set_config(${setting}, ${value}, true)`);
        await transaction.execute(sql`alter database ${name} set ${sql.raw(setting)} from current`);
      }
    });
    expect(await insertAtOnce('third', 'behind')).toEqual([null, null]);
    expect(await insertAtOnce('refused')).toEqual([expect.stringMatching(/a connection pooler is between/)]);
  });
});
