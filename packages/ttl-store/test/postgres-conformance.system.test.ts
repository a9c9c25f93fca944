import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { describeTtlStore } from '../src/conformance/index.js';
import { createPostgresStore, createTtlEntriesTable } from '../src/postgres/index.js';

describe('OPS-9 the PostgreSQL store keeps the contract', () => {
  let own: TestDatabase;
  // Two pools, so that the two openings have separate connections like two processes.
  let one: ReturnType<TestDatabase['connect']>;
  let other: ReturnType<TestDatabase['connect']>;

  beforeAll(async () => {
    own = await createTestDatabase();
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
    { describe, it: it.concurrent },
  );
});

describe('OPS-9 the PostgreSQL store keeps the contract on PGlite', async () => {
  const database = drizzle(await openTestEmbedded());

  beforeAll(() => createTtlEntriesTable(database));
  afterAll(() => database.$client.close());

  describeTtlStore(
    'contract',
    () => ({
      store: createPostgresStore({ database, keyPrefix: 'test:', timeoutMillis: 10_000 }),
      openAgain: () => createPostgresStore({ database, keyPrefix: 'test:', timeoutMillis: 10_000 }),
      advance: (millis) => sleep(millis),
    }),
    { describe, it: it.concurrent },
  );
});
