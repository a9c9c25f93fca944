import { sql } from 'drizzle-orm';
import type { SchemaObstacle } from './schema-obstacles.js';
import { type Executing, readTable, rowsOf } from './schema-target.js';

/**
 * The table of the migrations that were applied, in the server's schema. It has the form of drizzle's, which earlier
 * releases used.
 */
export const MIGRATION_JOURNAL = 'reference_server_migrations';

export interface MigrationJournal {
  /** Milliseconds since the Unix epoch. Null if none was applied. */
  readonly lastApplied: number | null;
  /** The journal can't be read, or belongs to another application. */
  readonly obstacle: SchemaObstacle | null;
}

/**
 * The other schemas of the database that contain a server. Only journals are read whose owner this role can act as.
 * Reading a table of another role can run its code (row security) or wait for its lock, and its data is not accessible
 * anyway.
 */
export async function otherServerSchemas(orm: Executing, schema: string, firstHash: string): Promise<string[]> {
  const candidates = await rowsOf<{ name: string }>(
    orm,
    sql`select nspname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relname = ${MIGRATION_JOURNAL} and relkind = 'r' and nspname <> ${schema} and nspname !~ '^pg_'
        and pg_has_role(relowner, 'usage')
      order by nspname`,
  );
  const found: string[] = [];
  for (const { name } of candidates) {
    if ((await readJournal(orm, name, firstHash)).lastApplied !== null) found.push(name);
  }
  return found;
}

/** @param firstHash the hash of the first migration, which identifies the journal of this server */
export async function readJournal(orm: Executing, schema: string, firstHash: string): Promise<MigrationJournal> {
  const columns = await readTable(orm, schema, MIGRATION_JOURNAL);
  if (columns === null) return { lastApplied: null, obstacle: null };
  const name = `the table "${MIGRATION_JOURNAL}" in the schema "${schema}"`;
  const fix = 'set SERVICE_DATABASE_SCHEMA to another schema, which the server creates, or use another database';
  if (!['id', 'hash', 'created_at'].every((column) => columns.names.includes(column))) {
    const finding = `${name} is not the journal of this server's migrations, but of another application`;
    return { lastApplied: null, obstacle: { kind: 'journal', finding, fix } };
  }
  if (!columns.mayRead) {
    const finding = `the role of SERVICE_DATABASE_URL has no right to read ${name}, which another role owns`;
    const others = `use the role that owns it, or ${fix}`;
    return { lastApplied: null, obstacle: { kind: 'rights', finding, fix: others } };
  }
  const rows = await rowsOf<{ hash: string; madeAt: string | null }>(
    orm,
    sql`select hash, created_at::text as "madeAt" from ${sql.identifier(schema)}.${sql.identifier(MIGRATION_JOURNAL)}`,
  );
  // The start of an earlier release that failed left an empty journal.
  if (rows.length > 0 && !rows.some(({ hash }) => hash === firstHash)) {
    const finding = `${name} has the migrations of another application`;
    return { lastApplied: null, obstacle: { kind: 'journal', finding, fix } };
  }
  const times = rows.map(({ madeAt }) => Number(madeAt ?? 0));
  return { lastApplied: times.length === 0 ? null : Math.max(...times), obstacle: null };
}
