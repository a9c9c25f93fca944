import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditLogOptions, auditLog, createMemorySink, type RequestAudit } from '../../audit-log/src/index.js';
import { type IdempotencyOptions, idempotency, type RequestIdempotency } from '../src/index.js';
import { newKey } from './idempotent-app.js';
import { handlings, orders as ordersTable } from './mistaken-handlers.js';
import { type OpenedKind, type TestedDatabase, transactionalKinds } from './store-kinds.js';

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

/** Those in which a `Response` arrives. A payload in its place takes its status with it. */
const ordersOfResponse = orders.filter(({ what }) => !what.includes('replaces the payload'));

/** How a handler answers 201. */
const answers: Readonly<Record<string, (reply: FastifyReply) => unknown>> = {
  'a return': (reply) => void reply.code(201),
  'reply.send': (reply) => reply.code(201).send({ data: 'ordered' }),
  'reply.send of a Response': (reply) => reply.send(Response.json({ data: 'ordered' }, { status: 201 })),
  'a reply that it took over': (reply) => void reply.hijack().raw.writeHead(201).end('ordered'),
  'parts of a reply that it took over': async (reply) => {
    const { raw } = reply.hijack();
    if (!raw.writeHead(201).write('ordered, ')) await once(raw, 'drain');
    raw.end('as I said');
  },
};

describe.each(transactionalKinds)('IDM-12 the audit record of a handler with records on %s', (name, open) => {
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

  // A handler that does not wait for its transaction ends only with the answer.
  const seen = handlings.filter(({ handle }) => !String(handle).includes('answered'));

  /** Runs each handler, which answers as told, and then says what it did to idempotency. */
  async function serve({ register }: Pick<(typeof orders)[number], 'register'>, answer: string) {
    const sink = createMemorySink();
    const app = Fastify();
    onTestFinished(() => app.close());
    await register({
      app,
      audit: (scope, options = {}) => scope.register(auditLog, { sink, ...options }),
      idempotency: (scope, options = {}) =>
        scope.register(idempotency, { store: kind.nodes[0], principalOf: () => 'ada', ...options }),
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
            return (await answers[answer]?.(reply)) ?? { data: 'ordered' };
          });
        }
      },
    });
    expect(seen.length).toBeGreaterThan(9);
    const order = (index: number) =>
      app.inject({ method: 'POST', url: `/orders/${index}`, headers: { 'idempotency-key': newKey() }, payload: {} });
    return { app, sink, order };
  }

  it.each([
    ...orders.flatMap((order) => ['a return', 'reply.send'].map((answer) => ({ ...order, answer }))),
    ...ordersOfResponse.map((order) => ({ ...order, answer: 'reply.send of a Response' })),
  ])('says success if the answer does: $what, by $answer', async ({ answer, ...order }) => {
    const server = await serve(order, answer);
    for (const [index, { what }] of seen.entries()) {
      const { statusCode, json } = await server.order(index);
      const record = server.sink.records().at(-1);
      expect(server.sink.records(), what).toHaveLength(index + 1);
      if (statusCode === 201) expect(record?.outcome, `${name}: ${what}`).toBe('success');
      else expect(record?.outcome, `${name}: ${what}`).not.toBe('success');
      // What idempotency does not let stand may have taken effect in part.
      if (json().code === 'IDEMPOTENCY_NOT_COMPLETED') expect(record).toMatchObject({ outcome: 'unknown' });
    }
  });

  it.each(
    orders.flatMap((order) =>
      ['a reply that it took over', 'parts of a reply that it took over'].map((answer) => ({ ...order, answer })),
    ),
  )('AUD-14 says of $answer what it says of one that is returned: $what', async ({ answer, ...order }) => {
    const outcomes: (readonly unknown[])[] = [];
    for (const way of ['a return', answer]) {
      const server = await serve(order, way);
      for (const index of seen.keys()) await server.order(index);
      await server.app.close();
      const records = server.sink.records().map(({ extra: { path }, outcome, reason }) => [path, outcome, reason]);
      // The last parts of several replies may be on their way.
      outcomes.push(records.sort());
    }
    expect(outcomes[0]).toHaveLength(seen.length);
    expect(outcomes[0]).toContainEqual(['/orders/0', 'success', null]);
    expect(outcomes[0]).toContainEqual(['/orders/2', 'unknown', 'IDEMPOTENCY_NOT_COMPLETED']);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it.each(ordersOfResponse)('a Response of refusal that is sent leaves the key unused: $what', async ({ register }) => {
    const sink = createMemorySink();
    const app = Fastify();
    onTestFinished(() => app.close());
    let runs = 0;
    await register({
      app,
      audit: (scope, options = {}) => scope.register(auditLog, { sink, ...options }),
      idempotency: (scope, options = {}) =>
        scope.register(idempotency, { store: kind.nodes[0], principalOf: () => 'ada', ...options }),
      routes: (scope) =>
        void scope.post('/orders', { config: { audit: 'order', idempotency: true } }, async (_request, reply) => {
          runs += 1;
          return reply.send(Response.json({ code: 'SOLD_OUT' }, { status: 409 }));
        }),
    });
    const submission = { method: 'POST', url: '/orders', headers: { 'idempotency-key': newKey() } } as const;
    const statuses = [await app.inject(submission), await app.inject(submission)].map(({ statusCode }) => statusCode);
    expect({ runs, statuses }).toEqual({ runs: 2, statuses: [409, 409] });
    expect(sink.records().map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });

  it.each([
    ['was committed', 'success'],
    ['was rolled back', 'unknown'],
    ['was never made', 'unknown'],
  ])('AUD-14 a reply that it took over is cut: a completion that %s makes a %s', async (what, outcome) => {
    const sink = createMemorySink();
    const app = Fastify({ forceCloseConnections: true });
    onTestFinished(() => app.close());
    await app.register(auditLog, { sink });
    await app.register(idempotency, { store: kind.nodes[0], principalOf: () => 'ada' });
    app.post('/orders', { config: { audit: 'order', idempotency: true } }, async (request, reply) => {
      const order = databases[0].transaction(async (tx) => {
        await tx.insert(ordersTable).values({ item: 'tea' });
        if (what !== 'was never made') await (request.idempotency as RequestIdempotency).completeWithin(tx);
        if (what === 'was rolled back') tx.rollback();
      });
      await order.catch(() => {});
      reply.hijack().raw.writeHead(201).write('ordered, ');
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { 'idempotency-key': newKey() };
    const { body, status } = await fetch(`${address}/orders`, { method: 'POST', headers });
    expect(status).toBe(201);
    await body?.cancel();
    await expect
      .poll(() => sink.records().map((record) => [record.outcome, record.reason]))
      .toContainEqual([outcome, 'REPLY_CUT']);
    expect(sink.records().filter((record) => record.outcome === 'success')).toHaveLength(outcome === 'success' ? 1 : 0);
  });
});
