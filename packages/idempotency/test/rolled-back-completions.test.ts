import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestIdempotency } from '../src/index.js';
import { createIdempotentApp, newKey } from './idempotent-app.js';
import { handlings, ignore, orders } from './mistaken-handlers.js';
import { type OpenedKind, storeKinds, type TestedDatabase } from './store-kinds.js';

const kinds = storeKinds.filter(([name]) => /^PostgreSQL(?! as a TtlStore)|^PGlite$/.test(name));

describe.each(kinds)('IDM-12 a handler with records on %s', (name, open) => {
  let kind: OpenedKind;
  let databases: readonly [TestedDatabase, TestedDatabase];

  beforeAll(async () => {
    kind = await open();
    databases = kind.databases as typeof databases;
    await databases[0].execute(sql`create table orders (id serial primary key, item text not null)`);
    await databases[0].execute(
      sql`create table late_checks (id int references orders (id) deferrable initially deferred)`,
    );
    // No order has this id.
    await databases[0].execute(sql`alter sequence orders_id_seq restart with 2`);
  });
  afterAll(() => kind.close());

  describe.each([true, false])('on a route with transactional: %s', (transactional) => {
    const seen = handlings.filter(({ otherwise }) => transactional || otherwise !== null);
    it.each(seen)('that $what', async ({ handle, answer, on, otherwise }) => {
      let release = ignore;
      const transactions: Promise<unknown>[] = [];
      const node = await createIdempotentApp({ store: kind.nodes[0] }, (app) => {
        app.post('/orders', { config: { idempotency: { transactional } } }, async (request, reply) => {
          const answered = name === 'PGlite' ? Promise.resolve() : new Promise<void>((resolve) => (release = resolve));
          const [database, other] = [watched(databases[0], transactions), watched(databases[1], transactions)];
          await handle({
            database,
            other,
            request,
            reply,
            answered,
            insert: (tx) => tx.insert(orders).values({ item: (request.body as { item: string }).item }),
            complete: (tx) => (request.idempotency as RequestIdempotency).completeWithin(tx),
          });
          return reply.sent ? reply : reply.code(201).send({ data: 'ordered' });
        });
      });
      const key = newKey();
      const submit = async () => {
        const given = await node.submit({ key, url: '/orders', body: { item: key } });
        release();
        await Promise.allSettled(transactions.splice(0));
        return given;
      };
      const countRows = async () => (await databases[0].select().from(orders).where(eq(orders.item, key))).length;

      const first = await submit();
      const rows = await countRows();
      expect(rows).toBeLessThanOrEqual(1);
      const expected = on?.[name] ?? (transactional ? answer : (otherwise ?? answer));
      if (typeof expected === 'number') {
        expect(first.statusCode).toBe(expected);
      } else {
        expect(first.json()).toMatchObject({ statusCode: 500, code: 'IDEMPOTENCY_NOT_COMPLETED' });
        expect(first.json().message).toContain(`The handler of POST /orders must ${expected} `);
        expect(node.warnings).toContain(first.json().message);
      }
      if (first.statusCode === 201) expect(rows).toBe(1);

      const retry = await submit();
      expect(await countRows()).toBeLessThanOrEqual(1);
      if (rows === 1) expect(retry.statusCode).toBe(409);
      if (typeof expected !== 'number' || expected === 201) expect(retry.statusCode).toBe(409);
    });
  });
});

/** Notes the transactions, also those for which the handler doesn't wait. */
function watched(database: TestedDatabase, transactions: Promise<unknown>[]): TestedDatabase {
  return Object.create(database, {
    transaction: {
      value(...call: Parameters<TestedDatabase['transaction']>) {
        const transaction = database.transaction(...call);
        transactions.push(transaction);
        return transaction;
      },
    },
  });
}
