import type { PgDatabase, PgQueryResultHKT, PgTransactionConfig } from 'drizzle-orm/pg-core';

/**
 * A drizzle database or transaction on PostgreSQL, with any schema: over postgres-js, PGlite or node-postgres. drizzle
 * declares its classes twice, for ES modules and for CommonJS, and their private members make the two incompatible.
 * This type therefore names the methods alone, and both declarations fit.
 */
export interface AuditQueries {
  delete(...given: never): unknown;
  execute(...given: never): PromiseLike<unknown>;
  insert(...given: never): unknown;
  select(...given: never): unknown;
  /** Only databases of PostgreSQL fit, not those of MySQL and SQLite. */
  selectDistinctOn(...given: never): unknown;
  update(...given: never): unknown;
}

/** A drizzle database on PostgreSQL, with any schema: over postgres-js, PGlite or node-postgres. */
export interface AuditDatabase extends AuditQueries {
  transaction(...given: never): Promise<unknown>;
}

/** A condition or statement that drizzle's sql`…`, `eq(…)` and others make, in either declaration. */
export interface AuditStatement {
  readonly queryChunks: readonly unknown[];
  getSQL(): unknown;
}

/** {@link AuditQueries} as this package calls them. */
export type DrizzleQueries = Pick<PgDatabase<PgQueryResultHKT>, keyof AuditQueries>;

/** {@link AuditDatabase} as this package calls it. */
export interface DrizzleDatabase extends DrizzleQueries {
  // It does not use drizzle's type of the transaction, which contains the schema.
  transaction<Result>(
    work: (transaction: DrizzleQueries) => Promise<Result>,
    config?: PgTransactionConfig,
  ): Promise<Result>;
}

/** The options with every default, and the database in the type that this package calls. */
export type ReadWithDatabase<Options, Database = DrizzleDatabase> = Omit<Required<Options>, 'database'> & {
  readonly database: Database;
};
