import { sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import type { IdempotencyRouteOptions, IdempotencyStore, RequestIdempotency } from '../src/index.js';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
  idempotencyRecords,
  runTransaction,
} from '../src/postgres/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, storeKinds, type TestedDatabase } from './store-kinds.js';

const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });

type Transaction = Parameters<Parameters<TestedDatabase['transaction']>[0]>[0];

interface Work {
  readonly idempotency: RequestIdempotency;
  readonly reply: FastifyReply;
  /** Commits an order with its completion, and resolves to the transaction. */
  order(): Promise<object>;
  /** The same, by `runTransaction`. */
  seenOrder(): Promise<object>;
  /** The same, rolled back. */
  orderInVain(): Promise<void>;
}

interface Variations {
  readonly prepare?: (app: FastifyInstance) => void;
  readonly route?: IdempotencyRouteOptions;
  readonly handlerTimeout?: number;
  readonly store?: IdempotencyStore;
}

const undo = (): never => {
  throw new Error('The handler changes its mind');
};

/** A third of the lease. */
const STEP = 10_000;

let database: TestedDatabase;
let close: () => Promise<void>;
beforeAll(async () => {
  const embedded = await openTestEmbedded();
  close = () => embedded.close();
  database = drizzle(embedded);
  await createIdempotencyRecordsTable(database);
  await database.execute(sql`create table orders (id serial primary key, item text not null)`);
});
afterAll(() => close());

let confirmations: number;
let isAway: boolean;
beforeEach(() => {
  confirmations = 0;
  isAway = false;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => void vi.useRealTimers());

/** A store that counts the statements that confirm a completion, and can be away for them and what follows. */
function countedStore(of: TestedDatabase = database): IdempotencyStore {
  const store = createPostgresIdempotencyStore({ database: of, timeoutMillis: 15_000 });
  return {
    openRecords(terms) {
      const records = store.openRecords(terms);
      const refuseWhileAway = () => {
        if (isAway) throw new Error('The store is away');
      };
      return {
        ...records,
        async confirmCompletion(...call) {
          confirmations += 1;
          refuseWhileAway();
          return (records.confirmCompletion as NonNullable<typeof records.confirmCompletion>)(...call);
        },
        async replace(...call) {
          refuseWhileAway();
          return records.replace(...call);
        },
      };
    },
  };
}

async function startWith(
  handle: (work: Work) => Promise<unknown>,
  { prepare, route = {}, handlerTimeout, store = countedStore() }: Variations = {},
): Promise<IdempotentApp & { order(key: string): Promise<Awaited<ReturnType<IdempotentApp['submit']>>> }> {
  const node = await createIdempotentApp({ store }, (app) => {
    prepare?.(app);
    const settings = {
      config: { idempotency: { transactional: true, ...route } },
      ...(handlerTimeout && { handlerTimeout }),
    };
    app.post('/orders', settings, async (request: FastifyRequest, reply) => {
      const { idempotency, body } = request as { idempotency: RequestIdempotency; body: { item: string } };
      if (route.content === 'in-handler') await idempotency.begin(body);
      const insert = async (tx: Transaction) => {
        await tx.insert(orders).values(body);
        await idempotency.completeWithin(tx);
        return tx;
      };
      const work: Work = {
        idempotency,
        reply,
        order: () => database.transaction(insert),
        seenOrder: () => runTransaction(database, insert),
        orderInVain: () => database.transaction(async (tx) => insert(tx).then(undo)).catch(() => {}),
      };
      await handle(work);
      return { data: 'ordered' };
    });
  });
  return { ...node, order: (key) => node.submit({ key, url: '/orders', body: { item: key } }) };
}

const stateOf = async (node: IdempotentApp, key: string) =>
  (await node.app.idempotency.lookUp('user:ada', key))[0]?.state ?? null;

describe('IDM-12 the statement that confirms a completion', () => {
  it('is one for each success, and none for a refusal', async () => {
    const node = await startWith(({ order }) => order());
    expect((await node.order(newKey())).statusCode).toBe(200);
    expect(confirmations).toBe(1);
    const refusing = await startWith(async ({ orderInVain, reply }) => {
      await orderInVain();
      reply.code(409);
    });
    const key = newKey();
    expect((await refusing.order(key)).statusCode).toBe(409);
    expect(confirmations).toBe(1);
    expect(await stateOf(refusing, key)).toBeNull();
  });

  it.each(['request', 'in-handler'] as const)(
    'is spared where runTransaction has seen the commit, and the content is that of the %s',
    async (content) => {
      const route = { content };
      const node = await startWith(({ seenOrder }) => seenOrder(), { route });
      const key = newKey();
      expect((await node.order(key)).statusCode).toBe(200);
      expect(confirmations).toBe(0);
      expect(await stateOf(node, key)).toBe('SUBMITTED');
    },
  );

  const lies: readonly (readonly [string, (work: Work) => Promise<void>])[] = [
    [
      'another transaction than that of the completion',
      async ({ orderInVain }) => {
        await orderInVain();
        await runTransaction(database, async (tx) => void (await tx.insert(orders).values({ item: 'second' })));
      },
    ],
    [
      'a transaction that completed by itself in a savepoint',
      async ({ idempotency }) => {
        const complete = async (tx: Transaction) => {
          await tx.transaction(() => idempotency.completeWithin(tx).then(undo)).catch(() => {});
          return tx;
        };
        await runTransaction(database, complete);
      },
    ],
    [
      'a transaction that completed in a savepoint of which drizzle does not know',
      async ({ idempotency }) => {
        const complete = async (tx: Transaction) => {
          await tx.execute(sql`savepoint own`);
          await tx.insert(orders).values({ item: 'in a savepoint' });
          await idempotency.completeWithin(tx);
          await tx.execute(sql`rollback to savepoint own`);
          return tx;
        };
        await runTransaction(database, complete);
      },
    ],
  ];
  it.each(lies)('is not spared by runTransaction with %s', async (_what, handle) => {
    const node = await startWith(handle);
    const key = newKey();
    expect((await node.order(key)).json().code).toBe('IDEMPOTENCY_NOT_COMPLETED');
    expect(await stateOf(node, key)).toBe('UNKNOWN');
  });
});

describe('IDM-12 a store that is away when the completion is to be confirmed', () => {
  it.each([
    ['committed', 'SUBMITTED'],
    ['rolled back', 'UNKNOWN'],
  ] as const)('makes the outcome unknown, and what was %s is %s when it is back', async (end, state) => {
    const node = await startWith(async ({ order, orderInVain }) => {
      await (end === 'committed' ? order() : orderInVain());
      isAway = true;
    });
    const key = newKey();
    const answer = await node.order(key);
    expect(answer.json()).toMatchObject({ statusCode: 409, code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' });
    expect(node.warnings).toEqual([expect.stringMatching(/has committed could not be read/)]);
    isAway = false;
    expect(tally([await node.order(key)])).toEqual({
      [end === 'committed' ? 'IDEMPOTENCY_SUBMITTED' : 'IDEMPOTENCY_PROCESSING']: 1,
    });
    await vi.advanceTimersByTimeAsync(STEP);
    await vi.waitFor(async () => expect(await stateOf(node, key)).toBe(state));
  });
});

describe('IDM-12 a completion that was rolled back', () => {
  it('is logged with the route also where the error handler is silent, and the reply has no Location', async () => {
    const prepare = (app: FastifyInstance) =>
      void app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ code: 'ours' }));
    const route = { result: 'location' } as const;
    const node = await startWith(
      async ({ orderInVain, reply }) => {
        reply.code(201).header('location', '/orders/1');
        await orderInVain();
      },
      { prepare, route },
    );
    const key = newKey();
    const answer = await node.order(key);
    expect([answer.statusCode, answer.json(), answer.headers.location]).toEqual([500, { code: 'ours' }, undefined]);
    expect(node.warnings).toEqual([
      expect.stringMatching(/^The handler of POST \/orders must commit what .* rolled back/),
    ]);
    const retry = await node.order(key);
    expect([retry.statusCode, retry.headers.location]).toEqual([500, undefined]);
    expect(await stateOf(node, key)).toBe('UNKNOWN');
  });

  it('is noticed after handlerTimeout, when the reply was sent', async () => {
    const gate = createGate();
    const node = await startWith(({ orderInVain }) => gate.pass().then(orderInVain), { handlerTimeout: 50 });
    const key = newKey();
    expect((await node.order(key)).statusCode).toBe(503);
    gate.open();
    await vi.waitFor(() => expect(node.warnings.join()).toMatch(/The handler of POST \/orders must commit what/));
    expect(await stateOf(node, key)).toBe('UNKNOWN');
  });

  it('leaves the run its lease: a retry does not run beside the handler that goes on', async () => {
    const gate = createGate();
    const node = await startWith(async ({ orderInVain }) => {
      await orderInVain();
      await gate.pass();
      await database.insert(orders).values({ item: 'without completion' });
    });
    const key = newKey();
    const first = node.order(key);
    await gate.arrival();
    await database.update(idempotencyRecords).set({ leasedUntil: sql`now()` });
    await vi.advanceTimersByTimeAsync(STEP);
    const isRenewed = sql`select from ${idempotencyRecords} where leased_until > now()`;
    await vi.waitFor(async () =>
      expect(((await database.execute(isRenewed)) as { rows: unknown[] }).rows).toHaveLength(1),
    );
    expect(tally([await node.order(key)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    gate.open();
    expect((await first).json().code).toBe('IDEMPOTENCY_NOT_COMPLETED');
    expect(node.warnings.join()).not.toContain('lost its lease');
  });

  it('is no success either where another run has taken the record over and has completed it', async () => {
    const gate = createGate();
    let runs = 0;
    const node = await startWith(async ({ order, orderInVain }) => {
      runs += 1;
      if (runs === 2) return order();
      await orderInVain();
      return gate.pass();
    });
    const key = newKey();
    const first = node.order(key);
    await gate.arrival();
    await database.update(idempotencyRecords).set({ leasedUntil: sql`now()` });
    expect(tally([await node.order(key)])).toEqual({ done: 1 });
    gate.open();
    expect((await first).json().code).toBe('IDEMPOTENCY_NOT_COMPLETED');
    expect(await stateOf(node, key)).toBe('SUBMITTED');
  });
});

describe('IDM-12 a transaction that is open', () => {
  let kind: OpenedKind;
  let pool: TestedDatabase;
  beforeAll(async () => {
    const [, open] = storeKinds.find(([name]) => name === 'PostgreSQL') as (typeof storeKinds)[number];
    kind = await open();
    [pool] = kind.databases as readonly [TestedDatabase, TestedDatabase];
  });
  afterAll(() => kind.close());

  it('when its handler returns becomes UNKNOWN when it is rolled back at last', async () => {
    const gate = createGate();
    let ended: Promise<unknown> = Promise.resolve();
    const handle = ({ idempotency }: Work) =>
      new Promise((resolve) => {
        const complete = async (tx: Transaction) => {
          await idempotency.completeWithin(tx);
          resolve(null);
          await gate.pass();
          undo();
        };
        ended = pool.transaction(complete).catch(() => {});
      });
    const node = await startWith(handle, { store: countedStore(pool) });
    const key = newKey();
    expect((await node.order(key)).json().message).toContain('must wait for');
    expect(tally([await node.order(key)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    gate.open();
    await ended;
    await vi.advanceTimersByTimeAsync(STEP);
    await vi.waitFor(async () => expect(await stateOf(node, key)).toBe('UNKNOWN'));
  });

  it('for long after its completion has not lost its lease', async () => {
    const gate = createGate();
    let renewals = 0;
    const store: IdempotencyStore = {
      openRecords(terms) {
        const records = createPostgresIdempotencyStore({ database: pool }).openRecords(terms);
        const renew = (...call: Parameters<typeof records.renew>) =>
          records.renew(...call).finally(() => {
            renewals += 1;
          });
        return { ...records, renew };
      },
    };
    const handle = ({ idempotency }: Work) =>
      pool.transaction(async (tx) => {
        await idempotency.completeWithin(tx);
        await gate.pass();
      });
    const node = await startWith(handle, { store });
    const first = node.order(newKey());
    await gate.arrival();
    await vi.advanceTimersByTimeAsync(STEP);
    await vi.waitFor(() => expect(renewals).toBe(1));
    gate.open();
    expect((await first).statusCode).toBe(200);
    expect(node.warnings).toEqual([]);
  });
});
