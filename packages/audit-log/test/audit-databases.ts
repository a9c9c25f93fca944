import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import type { DrizzleDatabase } from '../src/chain/index.js';
import { createAuditTables } from '../src/postgres.js';

/** One database, opened by two nodes. */
export interface OpenedDatabase {
  readonly nodes: readonly [DrizzleDatabase, DrizzleDatabase];
  close(): Promise<void>;
}

/** Both supported databases, with the tables of the log. */
export const auditDatabases: readonly (readonly [name: string, open: () => Promise<OpenedDatabase>])[] = [
  ['PostgreSQL', openPostgres],
  ['PGlite', openPglite],
];

async function openPostgres(): Promise<OpenedDatabase> {
  const database = await createTestDatabase();
  const nodes = [database.connect(), database.connect()] as const;
  await createAuditTables(nodes[0]);
  return { nodes, close: database.drop };
}

async function openPglite(): Promise<OpenedDatabase> {
  const client = await openTestEmbedded();
  const database = drizzlePglite(client);
  await createAuditTables(database);
  return { nodes: [database, database], close: () => client.close() };
}
