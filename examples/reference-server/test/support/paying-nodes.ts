import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { expect, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type App, buildApp } from '../../src/app.js';
import { type Actor, roomyConfig, root } from './accounts.js';

/** The permission to pay. */
export const MAY_PAY = 'api:admin:payments:create';

export interface Payment {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Actor['headers'] & { readonly 'idempotency-key': string };
  readonly payload: { readonly payee: string; readonly amount: string };
}

/** Two nodes on PostgreSQL, where transactions run concurrently, and payments that wait in theirs. */
export interface PayingNodes {
  readonly database: TestDatabase;
  /** Of no node. */
  readonly connection: ReturnType<TestDatabase['connect']>;
  readonly nodes: readonly [App, App];
  /** Signed in at the second node. */
  readonly admin: Actor;
  paymentOf(payer: Pick<Actor, 'headers'>): Payment;
  /** Resolves when a statement waits for a lock. */
  untilWaiting(): Promise<void>;
  /** Sends a payment to the first node. It waits in its transaction until `work` is done. */
  whilePaying(payment: Payment, work: () => Promise<unknown>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export async function startPayingNodes(): Promise<PayingNodes> {
  const database = await createTestDatabase();
  const connection = database.connect({ max: 1 });
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-paying-'));
  const config = roomyConfig(database.url, folder);
  const nodes = [await buildApp(config), await buildApp(config)] as const;

  async function untilWaiting(): Promise<void> {
    await vi.waitFor(
      async () => {
        const [found] = await connection.execute<{ count: number }>(sql`
          select count(*)::int as count from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where datname = current_database() and not granted`);
        expect(found!.count).toBeGreaterThan(0);
      },
      { interval: 5 },
    );
  }

  return {
    ...{ database, connection, nodes, untilWaiting },
    admin: await root(nodes[1]),
    paymentOf: ({ headers }) => ({
      method: 'POST',
      url: '/admin/payments',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      payload: { payee: `payee-${randomUUID()}`, amount: '12.50' },
    }),
    async whilePaying(payment, work) {
      const locker = database.connect({ max: 1 });
      let answer: Promise<LightMyRequestResponse> | undefined;
      try {
        await locker.transaction(async (transaction) => {
          await transaction.execute(sql`lock table payments in exclusive mode`);
          answer = nodes[0].inject(payment).then();
          await untilWaiting();
          await work();
        });
      } finally {
        await locker.$client.end();
      }
      return (await answer)!;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      await connection.$client.end();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
