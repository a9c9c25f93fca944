import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/**
 * The folder of the migrations, and their journal table. This server has its own table, because drizzle silently skips
 * migrations if two packages share one.
 */
export const migrations = {
  migrationsFolder: fileURLToPath(new URL('../../drizzle', import.meta.url)),
  migrationsSchema: 'public',
  migrationsTable: 'reference_server_migrations',
};

/** The schema belongs to a later release, which may have changed what this one relies on. It was not modified. */
class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  constructor() {
    super(
      'The database was migrated by a newer release than this one. Start that release, or restore the backup from before it.',
    );
  }
}

/** The migrations that were applied, compared with those of this release. */
export interface MigrationState {
  /** When the last applied migration was created, in milliseconds since the Unix epoch; null: none was applied. */
  readonly lastApplied: number | null;
  /** Number of migrations of this release. */
  readonly known: number;
  /** Number of migrations that are not yet applied. */
  readonly pending: number;
  /** The journal has a migration that is newer than the last one here. drizzle would silently ignore it. */
  readonly isNewer: boolean;
}

export async function readMigrationState(orm: PgDatabase<PgQueryResultHKT>): Promise<MigrationState> {
  const lastApplied = await readLastApplied(orm);
  const known = readMigrationFiles(migrations).map(({ folderMillis }) => folderMillis);
  return {
    lastApplied,
    known: known.length,
    pending: known.filter((madeAt) => madeAt > (lastApplied ?? 0)).length,
    isNewer: lastApplied !== null && lastApplied > Math.max(...known),
  };
}

/** @throws {SchemaTooNewError} if a newer release has migrated the database */
export async function refuseNewerSchema(orm: PgDatabase<PgQueryResultHKT>): Promise<void> {
  if ((await readMigrationState(orm)).isNewer) throw new SchemaTooNewError();
}

async function readLastApplied(orm: PgDatabase<PgQueryResultHKT>): Promise<number | null> {
  const { migrationsSchema, migrationsTable } = migrations;
  const [there] = await orm
    .select({ name: sql<string | null>`to_regclass(${`${migrationsSchema}.${migrationsTable}`})::text` })
    .from(sql`(select 1) one`);
  if (there?.name == null) return null;
  const [last] = await orm
    .select({ madeAt: sql<string | null>`max(created_at)::text` })
    .from(sql`${sql.identifier(migrationsSchema)}.${sql.identifier(migrationsTable)}`);
  return last?.madeAt == null ? null : Number(last.madeAt);
}
