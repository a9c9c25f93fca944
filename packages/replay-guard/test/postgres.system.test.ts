import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../scripts/test-database.js';
import { createProtectedApp, tally } from './protected-app.js';
import { sealPost } from './sealed-request.js';

describe('with PostgreSQL', () => {
  const opened: Sql[] = [];
  let database: TestDatabase;

  function connect(): Sql {
    const sql = postgres(database.url, { max: 5, onnotice: () => {} });
    opened.push(sql);
    return sql;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    await createTtlEntriesTable(drizzle(connect()));
  });

  afterAll(async () => {
    await Promise.all(opened.map((sql) => sql.end()));
    await database.drop();
  });

  it('RG-02 REL-4 of 50 parallel copies over two nodes exactly one is accepted, and a third node refuses it', async () => {
    // The test is about the race, not about how fast a busy machine opens connections.
    const openStore = () => createPostgresStore({ database: drizzle(connect()), timeoutMillis: 15_000 });
    const start = () => createProtectedApp({ store: openStore() });
    const nodes = [await start(), await start()];
    const requests = Array.from({ length: 5 }, (_, round) =>
      sealPost(nodes[0]!.recipient, '/payments', `{"round":${round}}`),
    );
    for (const request of requests) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => nodes[n % 2]!.app.inject(request)));
      expect(tally(answers)).toEqual({ accepted: 1, ENVELOPE_EXPIRED_OR_REPLAYED: 49 });
    }
    const later = await start();
    expect(tally(await Promise.all(requests.map((request) => later.app.inject(request))))).toEqual({
      ENVELOPE_EXPIRED_OR_REPLAYED: 5,
    });
  });

  it('RG-12 a lost connection gives 503, and the handler does not run', async () => {
    const sql = connect();
    const { app, recipient, handled } = await createProtectedApp({
      store: createPostgresStore({ database: drizzle(sql) }),
    });
    await sql.end();
    const answer = await app.inject(sealPost(recipient, '/payments', '{}'));
    expect(tally([answer])).toEqual({ ENVELOPE_REPLAY_STORE_UNAVAILABLE: 1 });
    expect(handled).toEqual([]);
  });
});
