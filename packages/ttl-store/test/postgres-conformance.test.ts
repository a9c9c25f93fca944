import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeTtlStore } from '../src/conformance.js';
import { createPostgresStore, createTtlEntriesTable } from '../src/postgres.js';
import { createOwnDatabase, type OwnDatabase } from './own-database.js';

describe('OPS-9 the PostgreSQL store keeps the contract', () => {
  let own: OwnDatabase;
  // Two pools: the two openings are two sets of connections, as of two processes.
  let one: ReturnType<OwnDatabase['connect']>;
  let other: ReturnType<OwnDatabase['connect']>;

  beforeAll(async () => {
    own = await createOwnDatabase();
    one = own.connect();
    other = own.connect();
    await createTtlEntriesTable(one);
  });

  afterAll(() => own.drop());

  describeTtlStore(
    'contract',
    () => ({
      store: createPostgresStore({ database: one, timeoutMillis: 10_000, sweepEveryWrites: 10 }),
      openAgain: () => createPostgresStore({ database: other, timeoutMillis: 10_000, sweepEveryWrites: 10 }),
      advance: (millis) => sleep(millis),
    }),
    { describe, it },
  );
});

describe('OPS-9 the PostgreSQL store keeps the contract on PGlite', () => {
  const database = drizzle(new PGlite());

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
