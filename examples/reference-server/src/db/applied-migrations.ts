import { max, sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { migrations } from './migrations.js';

/** The schema is of a later release, which may have changed what this one relies on. Nothing was done to it. */
class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  constructor() {
    super(
      'The database was migrated by a newer release than this one. Start that release, or restore the backup from before it.',
    );
  }
}

/** Throws where the journal has a migration that was made after the last one here. Migrating would pass over it in silence. */
export async function refuseNewerSchema(orm: PgDatabase<PgQueryResultHKT>): Promise<void> {
  const { migrationsSchema, migrationsTable } = migrations;
  const [applied] = await orm
    .select({ last: max(sql`created_at`).mapWith(Number) })
    .from(sql`${sql.identifier(migrationsSchema)}.${sql.identifier(migrationsTable)}`);
  const known = Math.max(...readMigrationFiles(migrations).map(({ folderMillis }) => folderMillis));
  if ((applied?.last ?? 0) > known) throw new SchemaTooNewError();
}
