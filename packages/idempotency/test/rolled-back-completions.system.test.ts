import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestIdempotency } from '../src/index.js';
import { createIdempotentApp, newKey } from './idempotent-app.js';
import { handlings, ignore, orders } from './mistaken-handlers.js';
import { type OpenedKind, type TestedDatabase, transactionalKinds } from './store-kinds.js';

describe.each(transactionalKinds)('IDM-12 a handler with records on %s', (name, open) => {
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

  // One walk, because each test would start a server of its own.
  it.each([true, false])(
    'has one row at most, a true answer and its mistake in the log, transactional: %s',
    async (transactional) => {
      let release = ignore;
      const transactions: Promise<unknown>[] = [];
      const seen = handlings.filter(({ otherwise }) => transactional || otherwise !== null);
      const node = await createIdempotentApp({ store: kind.nodes[0] }, (app) => {
        for (const [index, { handle }] of seen.entries()) {
          app.post(`/orders/${index}`, { config: { idempotency: { transactional } } }, async (request, reply) => {
            const answered =
              name === 'PGlite' ? Promise.resolve() : new Promise<void>((resolve) => (release = resolve));
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
        }
      });

      for (const [index, { what, answer, on, otherwise }] of seen.entries()) {
        const key = newKey();
        const submit = async () => {
          const given = await node.submit({ key, url: `/orders/${index}`, body: { item: key } });
          release();
          await Promise.allSettled(transactions.splice(0));
          return given;
        };
        const countRows = async () => (await databases[0].select().from(orders).where(eq(orders.item, key))).length;

        const first = await submit();
        const rows = await countRows();
        expect(rows, what).toBeLessThanOrEqual(1);
        const expected = on?.[name] ?? (transactional ? answer : (otherwise ?? answer));
        if (typeof expected === 'number') {
          expect(first.statusCode, what).toBe(expected);
        } else {
          expect(first.json(), what).toMatchObject({ statusCode: 500, code: 'IDEMPOTENCY_NOT_COMPLETED' });
          expect(first.json().message, what).toContain(`The handler of POST /orders/${index} must ${expected} `);
          expect(node.warnings, what).toContain(first.json().message);
        }
        if (first.statusCode === 201) expect(rows, what).toBe(1);

        const retry = await submit();
        expect(await countRows(), what).toBeLessThanOrEqual(1);
        const ranBefore = rows === 1 || typeof expected !== 'number' || expected === 201;
        if (ranBefore) expect(retry.statusCode, what).toBe(409);
      }
    },
  );
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
