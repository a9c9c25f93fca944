import { eq, sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { createPostgresIdempotencyStore, defineIdempotencyRecords, idempotencyRecords } from '../src/postgres/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, type TestedDatabase, transactionalKinds } from './store-kinds.js';

const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });
const item = (request: FastifyRequest) => request.body as { item: string };

type Transaction = Parameters<Parameters<TestedDatabase['transaction']>[0]>[0];
type Handler = (database: TestedDatabase, request: FastifyRequest) => Promise<unknown>;

describe.each(transactionalKinds)('IDM-7 a handler that forgets await, on %s', (_name, open) => {
  let kind: OpenedKind;
  let database: TestedDatabase;

  beforeAll(async () => {
    kind = await open();
    database = kind.databases?.[0] as TestedDatabase;
    await database.execute(sql`create table orders (id serial primary key, item text not null)`);
  });
  afterAll(() => kind.close());

  const start = (handler: Handler, transactional = true): Promise<IdempotentApp> =>
    createIdempotentApp({ store: kind.nodes[0] }, (app) => {
      app.post('/orders', { config: { idempotency: { transactional } } }, (request) => handler(database, request));
    });
  const rowsOf = (key: string) => database.select().from(orders).where(eq(orders.item, key));
  const stateOf = async (node: IdempotentApp, key: string) =>
    (await node.app.idempotency.lookUp('user:ada', key))[0]?.state;

  const insert = (tx: Transaction, request: FastifyRequest) => tx.insert(orders).values(item(request));
  const complete = (tx: Transaction, request: FastifyRequest) => request.idempotency?.completeWithin(tx);

  const mistakes: readonly (readonly [string, Handler])[] = [
    [
      'before completeWithin, as the last statement',
      (db, request) =>
        db.transaction(async (tx) => {
          await insert(tx, request);
          void complete(tx, request);
        }),
    ],
    [
      'before completeWithin, as the first statement',
      (db, request) =>
        db.transaction(async (tx) => {
          void complete(tx, request);
          await insert(tx, request);
        }),
    ],
    [
      'before the transaction',
      async (db, request) => {
        void db
          .transaction(async (tx) => {
            await insert(tx, request);
            await complete(tx, request);
          })
          .catch(() => {});
        await Promise.resolve();
      },
    ],
  ];

  describe.each([true, false])('transactional: %s', (transactional) => {
    const seen = transactional ? mistakes : mistakes.slice(0, 2);
    it.each(seen)('%s is answered 500 with the route, and its retry gets a true answer', async (_where, handler) => {
      const node = await start(async (db, request) => {
        await handler(db, request);
        return { data: 'ordered' };
      }, transactional);
      const key = newKey();
      const submission = { key, url: '/orders', body: { item: key } };
      const answer = await node.submit(submission);
      expect([answer.statusCode, answer.json().code]).toEqual([500, 'IDEMPOTENCY_NOT_COMPLETED']);
      expect(answer.json().message).toMatch(/^The handler of POST \/orders must /);
      const state = await stateOf(node, key);
      expect(tally([await node.submit(submission)])).toEqual({
        [state === 'SUBMITTED' ? 'IDEMPOTENCY_SUBMITTED' : 'IDEMPOTENCY_OUTCOME_UNKNOWN']: 1,
      });
      const rows = await rowsOf(key);
      if (state === 'SUBMITTED') expect(rows).toHaveLength(1);
      else expect(rows.length).toBeLessThanOrEqual(1);
    });

    it('before the transaction is logged with the route when completeWithin comes too late', async () => {
      const [, , [, unawaited]] = mistakes as [unknown, unknown, (typeof mistakes)[number]];
      const node = await start(async (db, request) => {
        await unawaited(db, request);
        return { data: 'ordered' };
      }, transactional);
      await node.submit({ key: newKey(), url: '/orders', body: { item: 'late' } });
      await vi.waitFor(() => expect(node.warnings.join()).toMatch(/The handler of POST \/orders must wait for/));
    });
  });

  it('is not seen where the promise is returned, chained, or one of several', async () => {
    const right: readonly Handler[] = [
      (db, request) => db.transaction((tx) => complete(tx, request) as Promise<void>),
      (db, request) => db.transaction(async (tx) => complete(tx, request)?.then(() => insert(tx, request))),
      (db, request) => db.transaction(async (tx) => void (await Promise.all([complete(tx, request)]))),
    ];
    for (const handler of right) {
      const node = await start(async (db, request) => {
        await handler(db, request);
        return { data: 'ordered' };
      });
      const submission = { key: newKey(), url: '/orders', body: { item: 'right' } };
      expect(tally([await node.submit(submission), await node.submit(submission)])).toEqual({
        done: 1,
        IDEMPOTENCY_SUBMITTED: 1,
      });
    }
  });

  it('is answered 500 too where the record was lost meanwhile, and the process goes on', async () => {
    const gate = createGate();
    const node = await start(async (db, request) => {
      await gate.pass();
      await db.transaction(async (tx) => {
        void complete(tx, request);
        await insert(tx, request);
      });
      return { data: 'ordered' };
    });
    const key = newKey();
    const running = node.submit({ key, url: '/orders', body: { item: key } });
    await gate.arrival();
    await database.delete(idempotencyRecords);
    gate.open();
    const answer = await running;
    // The rejection of completeWithin, for which nobody waits, would end the process, and fail this test.
    await new Promise((resolve) => setImmediate(resolve));
    expect(answer.json()).toMatchObject({ statusCode: 500, code: 'IDEMPOTENCY_NOT_COMPLETED' });
    expect(answer.json().message).toContain('put await before both');
  });
});

describe('IDM-9 a table that nobody created', () => {
  it.each([
    [idempotencyRecords, 'The table idempotency_records does not exist: call createIdempotencyRecordsTable(database) '],
    [
      defineIdempotencyRecords('my_records'),
      'The table my_records does not exist: call createIdempotencyRecordsTable(database, table) ',
    ],
  ])('is 503, and the log names the cure', async (table, cure) => {
    const embedded = await openTestEmbedded();
    onTestFinished(() => embedded.close());
    const lines: string[] = [];
    const store = createPostgresIdempotencyStore({ database: drizzle(embedded), table });
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } };
    const node = await createIdempotentApp({ store }, () => {}, { logger });
    const answer = await node.submit({ key: newKey() });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'IDEMPOTENCY_STORE_UNAVAILABLE']);
    expect(answer.payload).not.toContain('table');
    expect(lines.join()).toContain(cure);
    expect(lines.join()).toContain(`relation \\"${cure.split(' ')[2]}\\" does not exist`);
  });
});
