import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { createMemorySource, type ParameterSource } from '../src/index.js';
import { createPostgresSource, createSystemParametersTable, systemParameters } from '../src/postgres/index.js';
import type { DrizzleParameterDatabase } from '../src/postgres/postgres-table.js';

/** A kind of source, empty before each test. */
export interface SourceKind {
  /** Another node's view of the same parameters. */
  connect(): ParameterSource;
  /** The database, for tests that edit rows by hand; null if there is none. */
  readonly database: DrizzleParameterDatabase | null;
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const sourceKinds: Record<string, () => Promise<SourceKind>> = {
  async memory() {
    let source = createMemorySource();
    return {
      connect: () => source,
      database: null,
      async empty() {
        source = createMemorySource();
      },
      close: async () => {},
    };
  },

  async PGlite() {
    const client = await openTestEmbedded();
    const database = drizzlePglite(client);
    await createSystemParametersTable(database);
    return {
      connect: () => createPostgresSource({ database }),
      database,
      async empty() {
        await database.delete(systemParameters);
      },
      close: () => client.close(),
    };
  },

  async PostgreSQL() {
    const own = await createTestDatabase();
    const database = own.connect();
    await createSystemParametersTable(database);
    return {
      connect: () => createPostgresSource({ database: own.connect({ max: 3 }) }),
      database,
      async empty() {
        await database.delete(systemParameters);
      },
      close: () => own.drop(),
    };
  },
};
