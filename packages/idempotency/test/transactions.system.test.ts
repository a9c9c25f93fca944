import { eq, sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresIdempotencyStore, idempotencyRecords } from '../src/postgres/index.js';
import { createGate, type Gate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, type TestedDatabase, transactionalKinds } from './store-kinds.js';

const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });

type Moment = 'begun' | 'inserted' | 'completed' | 'committed';

/** What a test does to a run while it is under way. */
interface Script {
  /** The step at which the run stops until the test lets it continue. */
  readonly pauses?: Partial<Record<Moment, Gate>>;
  /** The step at which the run throws. */
  readonly failAt?: Moment;
}

describe.each(transactionalKinds)('IDM-7 records in the transaction of the handler, on %s', (name, open) => {
  let kind: OpenedKind;
  let databases: readonly [TestedDatabase, TestedDatabase];
  let scripts: Script[];
  let gate: Gate;

  beforeAll(async () => {
    kind = await open();
    databases = kind.databases as typeof databases;
    await databases[0].execute(sql`create table orders (id serial primary key, item text not null)`);
  });
  afterAll(() => kind.close());
  beforeEach(async () => {
    scripts = [];
    gate = createGate();
    await databases[0].delete(orders);
  });

  /** A node whose handler follows the next script. */
  function start(index: 0 | 1, options: { transactional?: boolean } = {}): Promise<IdempotentApp> {
    const { transactional = true } = options;
    const database = databases[index];
    return createIdempotentApp({ store: kind.nodes[index] }, (app: FastifyInstance) => {
      app.post('/orders', { config: { idempotency: { transactional } } }, async (request, reply) => {
        const { pauses = {}, failAt } = scripts.shift() ?? {};
        const pass = async (moment: Moment) => {
          await pauses[moment]?.pass();
          if (failAt === moment) throw new Error(`The handler failed when ${moment}`);
        };
        await pass('begun');
        await database.transaction(async (transaction) => {
          await transaction.insert(orders).values(request.body as { item: string });
          await pass('inserted');
          await request.idempotency?.completeWithin(transaction);
          await pass('completed');
        });
        await pass('committed');
        return reply.code(201).send({ data: 'ordered' });
      });
      app.post('/forgetful', { config: { idempotency: { transactional } } }, async (request) => {
        await database.insert(orders).values(request.body as { item: string });
        return { data: 'ordered' };
      });
      app.post('/completed-first', { config: { idempotency: { transactional } } }, async (request) => {
        await database.transaction(async (transaction) => {
          await request.idempotency?.completeWithin(transaction);
          await transaction.insert(orders).values(request.body as { item: string });
        });
        return { data: 'ordered' };
      });
      app.post('/too-late', { config: { idempotency: { transactional } } }, async (request) => {
        let ended: object = {};
        await database.transaction(async (transaction) => {
          ended = transaction;
        });
        await request.idempotency?.completeWithin(ended);
        return { data: 'ordered' };
      });
      app.post('/careless', { config: { idempotency: true } }, async (request) => {
        await request.idempotency?.completeWithin(database);
        return { data: 'ordered' };
      });
    });
  }

  const order = (node: IdempotentApp, key: string) => node.submit({ key, url: '/orders', body: { item: key } });
  const rowsOf = (key: string) => databases[0].select().from(orders).where(eq(orders.item, key));
  const states = async () => (await databases[0].select().from(idempotencyRecords)).map(({ state }) => state);

  it('ID-01 ID-02 ID-03 of 30 concurrent requests on two nodes one is done and the others are told so', async () => {
    const nodes = [await start(0), await start(1)] as const;
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => order(nodes[index % 2 ? 1 : 0], key)));
      const { done, ...refused } = tally(answers);
      expect(done).toBe(1);
      expect(Object.keys(refused).every((code) => /^IDEMPOTENCY_(PROCESSING|SUBMITTED)$/.test(code))).toBe(true);
      expect(await rowsOf(key)).toHaveLength(1);
      expect(tally([await order(nodes[1], key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    }
  });

  it.each(['begun', 'inserted', 'completed'] as const)(
    'IDM-6 a handler that throws when %s has no effect, and the same key runs',
    async (failAt) => {
      const node = await start(0);
      const key = newKey();
      scripts.push({ failAt });
      expect((await order(node, key)).statusCode).toBe(500);
      expect(await rowsOf(key)).toHaveLength(0);
      expect(tally([await order(node, key), await order(node, key)])).toEqual({ done: 1, IDEMPOTENCY_SUBMITTED: 1 });
      expect(await rowsOf(key)).toHaveLength(1);
    },
  );

  it('IDM-7 a handler that throws after its commit has submitted, and its retry is told so', async () => {
    const node = await start(0);
    const key = newKey();
    scripts.push({ failAt: 'committed' });
    expect((await order(node, key)).statusCode).toBe(500);
    expect(tally([await order(node, key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(await rowsOf(key)).toHaveLength(1);
  });

  it('ID-18 ID-20 REL-6 a run whose lease lapses before its commit is taken over and cannot commit', async () => {
    const [paused, other] = [await start(0), await start(1)];
    for (const pauseAt of ['begun', 'committed'] as const) {
      const key = newKey();
      scripts.push({ pauses: { [pauseAt]: gate } });
      const first = order(paused, key);
      await gate.arrival();
      await kind.lapseLeases();
      const retry = await order(other, key);
      gate.open();
      const late = await first;
      if (pauseAt === 'begun') {
        expect(tally([retry])).toEqual({ done: 1 });
        expect(late.json()).toMatchObject({ statusCode: 409, code: 'IDEMPOTENCY_PROCESSING' });
        expect(late.headers['retry-after']).toBe('1');
      } else {
        expect(tally([retry])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
        expect(tally([late])).toEqual({ done: 1 });
      }
      expect(tally([await order(paused, key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
      expect(await rowsOf(key)).toHaveLength(1);
      gate = createGate();
    }
  });

  // PGlite has one connection, so no other query runs during an open transaction.
  if (name !== 'PGlite') {
    it.each(['inserted', 'completed'] as const)(
      'REL-6 a run paused in its transaction when %s, beyond its lease, writes one row and blocks nobody',
      async (pauseAt) => {
        const [paused, other] = [await start(0), await start(1)];
        const key = newKey();
        const before = createGate();
        scripts.push({ pauses: { begun: before, [pauseAt]: gate } });
        const first = order(paused, key);
        await before.arrival();
        await kind.lapseLeases();
        before.open();
        await gate.arrival();
        const retries = await Promise.all(Array.from({ length: 10 }, () => order(other, key)));
        gate.open();
        const late = await first;
        if (pauseAt === 'completed') {
          // The transaction holds the row and may still commit.
          expect(tally(retries)).toEqual({ IDEMPOTENCY_PROCESSING: 10 });
          expect(tally([late])).toEqual({ done: 1 });
        } else {
          expect(tally(retries).done).toBe(1);
          expect(tally([late])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
        }
        expect(tally([await order(other, key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
        expect(await rowsOf(key)).toHaveLength(1);
      },
    );
  }

  it('IDM-6 on a route that is not transactional a lapsed run is unknown and can no longer commit', async () => {
    const [paused, other] = [await start(0, { transactional: false }), await start(1, { transactional: false })];
    const key = newKey();
    scripts.push({ pauses: { begun: gate } });
    const first = order(paused, key);
    await gate.arrival();
    await kind.lapseLeases();
    expect(tally([await order(other, key)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    gate.open();
    expect(tally([await first])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(tally([await order(other, key)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(await rowsOf(key)).toHaveLength(0);
  });

  it('IDM-7 looking up a dead run fences it, so that the answer stays true', async () => {
    const [paused, other] = [await start(0), await start(1)];
    const key = newKey();
    scripts.push({ pauses: { begun: gate } });
    const first = order(paused, key);
    await gate.arrival();
    const lookUp = () => other.app.idempotency.lookUp('user:ada', key);
    expect(await lookUp()).toEqual([
      { method: 'POST', url: '/orders', state: 'PROCESSING', originalStatus: null, location: null },
    ]);
    await kind.lapseLeases();
    expect(await lookUp()).toEqual([]);
    gate.open();
    expect(tally([await first])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    expect(await rowsOf(key)).toHaveLength(0);
    expect(tally([await order(other, key)])).toEqual({ done: 1 });
    expect(await lookUp()).toEqual([
      { method: 'POST', url: '/orders', state: 'SUBMITTED', originalStatus: null, location: null },
    ]);
  });

  it('IDM-7 a transactional handler that succeeds without completeWithin is 500, and its outcome unknown', async () => {
    const node = await start(0);
    const key = newKey();
    const forget = () => node.submit({ key, url: '/forgetful', body: { item: key } });
    const answer = await forget();
    expect(answer.statusCode).toBe(500);
    expect(answer.json().code).toBe('IDEMPOTENCY_NOT_COMPLETED');
    expect(answer.json().message).toMatch(/^The handler of POST \/forgetful must call .*completeWithin.*audit-log/);
    expect(node.warnings).toContain(answer.json().message);
    expect(tally([await forget()])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(await rowsOf(key)).toHaveLength(1);
  });

  it('IDM-7 completeWithin refuses the database, which would commit the record by itself', async () => {
    const node = await start(0);
    const key = newKey();
    const answer = await node.submit({ key, url: '/careless' });
    expect(answer.statusCode).toBe(500);
    expect(answer.json().message).toMatch(/database\.transaction/);
    expect(tally([await node.submit({ key, url: '/careless' })])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
  });

  it('IDM-7 completeWithin may be called before the first write', async () => {
    const node = await start(0);
    const key = newKey();
    const submit = () => node.submit({ key, url: '/completed-first', body: { item: key } });
    expect((await submit()).statusCode).toBe(200);
    expect(tally([await submit()])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(await rowsOf(key)).toHaveLength(1);
  });

  it('IDM-7 REL-3 completeWithin completes nothing outside its transaction, where a driver may send it', async () => {
    const node = await start(0);
    const key = newKey();
    const submit = () => node.submit({ key, url: '/too-late', body: { item: key } });
    for (const answer of [await submit(), await submit()]) {
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.json().code).not.toBe('IDEMPOTENCY_SUBMITTED');
    }
  });

  it('IDM-7 a run leaves the settings of its connection unchanged', async () => {
    const node = await start(0);
    await Promise.all(Array.from({ length: 10 }, () => order(node, newKey())));
    // As many concurrent queries as the pool has connections.
    const settings = await Promise.all(
      Array.from({ length: 5 }, () =>
        databases[0]
          .select({ setting: sql<string>`current_setting('synchronous_commit') || pg_sleep(0.01)::text` })
          .from(sql`(values (1)) as one`),
      ),
    );
    expect(settings.flat().map(({ setting }) => setting)).toEqual(Array(5).fill('on'));
  });

  it('IDM-5 a sweep deletes expired records only, the oldest first', async () => {
    const node = await start(0);
    await databases[0].delete(idempotencyRecords);
    const keys = [newKey(), newKey(), newKey()];
    for (const key of keys) await order(node, key);
    await kind.expireRecords();
    await order(node, newKey());
    const store = createPostgresIdempotencyStore({ database: databases[0], timeoutMillis: 15_000 });
    expect(await store.sweepExpired(2)).toBe(2);
    expect(await store.sweepExpired()).toBe(1);
    expect(await store.sweepExpired()).toBe(0);
    expect(await states()).toEqual(['SUBMITTED']);
    await expect(store.sweepExpired(0)).rejects.toThrow(TypeError);
  });
});
