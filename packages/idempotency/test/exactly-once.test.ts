import { EventEmitter, once } from 'node:events';
import { eq, sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdempotentApp, type IdempotentApp, newKey } from './idempotent-app.js';
import { type OpenedKind, storeKinds, type TestedDatabase } from './store-kinds.js';

const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });

/** How a run ends. `is slow`: its lease runs out during its transaction, and a retry reaches the other node. */
const ENDS = ['works', 'refuses', 'throws', 'dies before', 'dies within', 'dies after', 'is slow'] as const;
type End = (typeof ENDS)[number];

const burst = fc.array(fc.record({ node: fc.constantFrom(0, 1), end: fc.constantFrom(...ENDS) }), {
  minLength: 1,
  maxLength: 5,
});
const history = fc.array(fc.record({ burst, lapses: fc.boolean() }), { minLength: 1, maxLength: 3 });

/** Rolls the transaction back, as PostgreSQL does when its client is gone. */
class Death extends Error {}

describe('REL-1 REL-6 ID-03 ID-18 ID-20 exactly once, on PostgreSQL', () => {
  let kind: OpenedKind;
  let databases: readonly [TestedDatabase, TestedDatabase];
  /** Emits the id of a request whose process has died. */
  const deaths = new EventEmitter().setMaxListeners(0);
  let nodes: readonly IdempotentApp[];
  let told: (string | null)[];

  beforeAll(async () => {
    const open = storeKinds.find(([name]) => name === 'PostgreSQL')?.[1];
    kind = await open!();
    databases = kind.databases as typeof databases;
    await databases[0].execute(sql`create table orders (id serial primary key, item text not null)`);
  });
  afterAll(() => kind.close());

  const startNode = (index: 0 | 1): Promise<IdempotentApp> =>
    createIdempotentApp({ store: kind.nodes[index] }, (app) => {
      app.post('/orders', { config: { idempotency: { transactional: true } } }, async (request, reply) => {
        const end = request.headers['x-end'] as End;
        const die = () => {
          deaths.emit(request.headers['x-id'] as string);
          return new Promise<never>(() => {});
        };
        if (end === 'refuses') return reply.code(403).send({ code: 'REFUSED' });
        if (end === 'dies before') await die();
        await databases[index]
          .transaction(async (transaction) => {
            await transaction.insert(orders).values(request.body as { item: string });
            if (end === 'is slow') {
              await kind.lapseLeases();
              told.push(
                await order(
                  nodes[index === 0 ? 1 : 0] as IdempotentApp,
                  (request.body as { item: string }).item,
                  'works',
                ),
              );
            }
            await request.idempotency?.completeWithin(transaction);
            if (end === 'throws') throw new Error('It went wrong');
            if (end === 'dies within') throw new Death();
          })
          .catch((error: unknown) => (error instanceof Death ? die() : Promise.reject(error)));
        if (end === 'dies after') await die();
        return reply.code(201).send({ data: 'ordered' });
      });
    });

  /** The code of the answer; null if the node died and its client gives up. */
  async function order(node: IdempotentApp, key: string, end: End): Promise<string | null> {
    const id = newKey();
    const dying = once(deaths, id).then(() => null);
    const headers = { 'x-end': end, 'x-id': id };
    const answer = await Promise.race([node.submit({ key, url: '/orders', body: { item: key }, headers }), dying]);
    if (answer === null) return null;
    return answer.statusCode === 201 ? 'DONE' : (answer.json().code ?? String(answer.statusCode));
  }

  it('any deaths and delays leave at most one row, exactly one if acknowledged, and a definite answer', async () => {
    nodes = [await startNode(0), await startNode(1)];
    await fc.assert(
      fc.asyncProperty(history, async (bursts) => {
        const key = newKey();
        told = [];
        for (const { burst: requests, lapses } of bursts) {
          told.push(
            ...(await Promise.all(requests.map(({ node, end }) => order(nodes[node] as IdempotentApp, key, end)))),
          );
          if (lapses) await kind.lapseLeases();
        }
        const rows = () => databases[0].select().from(orders).where(eq(orders.item, key));
        const before = await rows();
        expect(before.length).toBeLessThanOrEqual(1);
        if (told.includes('DONE') || told.includes('IDEMPOTENCY_SUBMITTED')) expect(before).toHaveLength(1);
        expect(told).not.toContain('IDEMPOTENCY_OUTCOME_UNKNOWN');
        expect(told).not.toContain('IDEMPOTENCY_STORE_UNAVAILABLE');
        await kind.lapseLeases();
        expect(await order(nodes[1] as IdempotentApp, key, 'works')).toBe(
          before.length === 1 ? 'IDEMPOTENCY_SUBMITTED' : 'DONE',
        );
        expect(await rows()).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  });
});
