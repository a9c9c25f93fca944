import { sql } from 'drizzle-orm';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditLogOptions, auditLog, createMemorySink, type RequestAudit } from '../../audit-log/src/index.js';
import { type IdempotencyOptions, idempotency, type RequestIdempotency } from '../src/index.js';
import { newKey } from './idempotent-app.js';
import { handlings, orders as ordersTable } from './mistaken-handlers.js';
import { type OpenedKind, storeKinds, type TestedDatabase } from './store-kinds.js';

const kinds = storeKinds.filter(([name]) => /^PostgreSQL(?! as a TtlStore)|^PGlite$/.test(name));

interface Setup {
  readonly app: FastifyInstance;
  readonly audit: (scope: FastifyInstance, options?: Pick<AuditLogOptions, 'scope'>) => PromiseLike<unknown>;
  readonly idempotency: (scope: FastifyInstance, options?: Pick<IdempotencyOptions, 'scope'>) => PromiseLike<unknown>;
  readonly routes: (scope: FastifyInstance) => void;
}

/** The orders that the READMEs allow. */
const orders: readonly { readonly what: string; readonly register: (setup: Setup) => Promise<void> }[] = [
  {
    what: 'audit-log before idempotency',
    async register({ app, audit, idempotency, routes }) {
      await audit(app);
      await idempotency(app);
      routes(app);
    },
  },
  {
    what: 'audit-log, a plugin that replaces the payload, idempotency',
    async register({ app, audit, idempotency, routes }) {
      await audit(app);
      app.addHook('onSend', async (_request, _reply, payload) => `${payload} `);
      await idempotency(app);
      routes(app);
    },
  },
  {
    what: 'idempotency before audit-log',
    async register({ app, audit, idempotency, routes }) {
      await idempotency(app);
      await audit(app);
      routes(app);
    },
  },
  {
    what: 'audit-log for all, idempotency in a scope of its own',
    async register({ app, audit, idempotency, routes }) {
      await audit(app);
      await app.register(async (scope) => {
        await idempotency(scope, { scope: 'encapsulated' });
        routes(scope);
      });
    },
  },
  {
    what: 'idempotency for all, audit-log in a scope of its own',
    async register({ app, audit, idempotency, routes }) {
      await idempotency(app);
      await app.register(async (scope) => {
        await audit(scope, { scope: 'encapsulated' });
        routes(scope);
      });
    },
  },
];

describe.each(kinds)('IDM-12 the audit record of a handler with records on %s', (name, open) => {
  let kind: OpenedKind;
  let databases: readonly [TestedDatabase, TestedDatabase];

  beforeAll(async () => {
    kind = await open();
    databases = kind.databases as typeof databases;
    await databases[0].execute(sql`create table orders (id serial primary key, item text not null)`);
    await databases[0].execute(
      sql`create table late_checks (id int references orders (id) deferrable initially deferred)`,
    );
    await databases[0].execute(sql`alter sequence orders_id_seq restart with 2`);
  });
  afterAll(() => kind.close());

  it.each(orders.flatMap((order) => [true, false].map((sends) => ({ ...order, sends }))))(
    'says success if the answer does: $what, by reply.send: $sends',
    async ({ register, sends }) => {
      const sink = createMemorySink();
      const app = Fastify();
      onTestFinished(() => app.close());
      const store = kind.nodes[0];
      // A handler that does not wait for its transaction ends only with the answer.
      const seen = handlings.filter(({ handle }) => !String(handle).includes('answered'));
      await register({
        app,
        audit: (scope, options = {}) => scope.register(auditLog, { sink, ...options }),
        idempotency: (scope, options = {}) =>
          scope.register(idempotency, { store, principalOf: () => 'ada', ...options }),
        routes: (scope) => {
          for (const [index, { handle }] of seen.entries()) {
            const audit = index % 2 === 0 ? 'order' : ({ resource: 'order', changes: 'in-handler' } as const);
            scope.post(`/orders/${index}`, { config: { audit, idempotency: true } }, async (request, reply) => {
              await handle({
                ...{ database: databases[0], other: databases[1], request, reply, answered: Promise.resolve() },
                insert: (tx) => tx.insert(ordersTable).values({ item: 'tea' }),
                complete: (tx) => (request.idempotency as RequestIdempotency).completeWithin(tx),
              });
              (request.audit as RequestAudit).set({ outcome: 'success' });
              reply.code(201);
              return sends ? reply.send({ data: 'ordered' }) : { data: 'ordered' };
            });
          }
        },
      });
      expect(seen.length).toBeGreaterThan(9);
      for (const [index, { what }] of seen.entries()) {
        const headers = { 'idempotency-key': newKey() };
        const { statusCode, json } = await app.inject({
          method: 'POST',
          url: `/orders/${index}`,
          headers,
          payload: {},
        });
        const record = sink.records().at(-1);
        expect(sink.records(), what).toHaveLength(index + 1);
        if (statusCode === 201) expect(record?.outcome, `${name}: ${what}`).toBe('success');
        else expect(record?.outcome, `${name}: ${what}`).not.toBe('success');
        // What idempotency does not let stand may have taken effect in part.
        if (json().code === 'IDEMPOTENCY_NOT_COMPLETED') expect(record).toMatchObject({ outcome: 'unknown' });
      }
    },
  );
});
