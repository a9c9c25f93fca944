import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.js';

/** The schema of a deployment that does not set `SERVICE_DATABASE_SCHEMA`. */
export const DEFAULT_DATABASE_SCHEMA = 'public';

/** The schema of a server's tables, and which tables it has. */
export interface SchemaTarget {
  /** A checked name (`SERVICE_DATABASE_SCHEMA`). */
  readonly schema: string;
  /** Whether the notification queue is in the database and not in Redis. */
  readonly hasQueue: boolean;
  /**
   * Whether the schema may be empty although another schema of the database contains a server
   * (`SERVICE_DATABASE_SCHEMA_IS_NEW`). Default false.
   */
  readonly isNew?: boolean;
}

/** A database or a transaction of drizzle. */
export type Executing = Pick<Database['orm'], 'execute'>;

/** The rows of a statement, which the two drivers return in different shapes. */
export async function rowsOf<Row>(orm: Executing, statement: SQL): Promise<Row[]> {
  const result: unknown = await orm.execute(statement);
  return [...((result as { rows?: Row[] }).rows ?? (result as Row[]))];
}

/** The columns of a table. Null if there is no such table. */
export async function readTable(
  orm: Executing,
  schema: string,
  table: string,
): Promise<{ readonly names: readonly string[]; readonly mayRead: boolean } | null> {
  const rows = await rowsOf<{ name: string; mayRead: boolean }>(
    orm,
    sql`select attname as name,
        has_schema_privilege(relnamespace, 'usage') and has_table_privilege(pg_class.oid, 'select') as "mayRead"
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where nspname = ${schema} and relname = ${table}`,
  );
  return rows.length === 0 ? null : { names: rows.map(({ name }) => name), mayRead: rows[0]?.mayRead === true };
}
