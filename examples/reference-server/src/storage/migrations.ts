import { fileURLToPath } from 'node:url';

/**
 * Where the migrations lie, and the journal that says which were applied: a table of this server's own, because drizzle
 * skips migrations without a word when two packages share one.
 */
export const migrations = {
  migrationsFolder: fileURLToPath(new URL('../../drizzle', import.meta.url)),
  migrationsSchema: 'public',
  migrationsTable: 'reference_server_migrations',
};
