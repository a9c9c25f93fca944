import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { describeTtlStore } from '../src/conformance.js';
import { createPostgresStore, createTtlEntriesTable } from '../src/postgres.js';

describe('OPS-9 the PostgreSQL store keeps the contract', () => {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('databaseUrl'));
  const owner = postgres(url.href, { max: 1 });
  url.pathname = name;
  // Two pools: the two openings are two sets of connections, as of two processes.
  const one = postgres(url.href, { max: 5 });
  const other = postgres(url.href, { max: 5 });

  beforeAll(async () => {
    await owner.unsafe(`create database ${name}`);
    await createTtlEntriesTable(drizzle(one));
  });

  afterAll(async () => {
    await Promise.all([one.end(), other.end()]);
    await owner.unsafe(`drop database ${name}`);
    await owner.end();
  });

  describeTtlStore(
    'contract',
    () => ({
      store: createPostgresStore({ database: drizzle(one), timeoutMillis: 10_000, sweepEveryWrites: 10 }),
      openAgain: () => createPostgresStore({ database: drizzle(other), timeoutMillis: 10_000, sweepEveryWrites: 10 }),
      advance: (millis) => sleep(millis),
    }),
    { describe, it },
  );
});

describe('OPS-9 the PostgreSQL store keeps the contract on PGlite', () => {
  const database = drizzlePglite(new PGlite());

  beforeAll(() => createTtlEntriesTable(database));
  afterAll(() => database.$client.close());

  describeTtlStore(
    'contract',
    () => ({
      store: createPostgresStore({ database, keyPrefix: 'test:', timeoutMillis: 10_000 }),
      openAgain: () => createPostgresStore({ database, keyPrefix: 'test:', timeoutMillis: 10_000 }),
      advance: (millis) => sleep(millis),
    }),
    { describe, it },
  );
});
