import { DrizzleQueryError } from 'drizzle-orm/errors';
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm/sql';
import type { ParameterChange } from '../engine/index.js';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterRow, ParameterSource, ParameterWrite } from '../sources/index.js';
import { type ParameterDatabase, type SystemParametersTable, systemParameters } from './postgres-table.js';

export interface PostgresSourceOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default. Required. It stays yours: the source never closes it. */
  readonly database: ParameterDatabase;
  /** The table. Default `systemParameters`, named `system_parameters`; another name: `defineSystemParameters(name)`. */
  readonly table?: SystemParametersTable;
}

export type ParameterTransaction = Parameters<Parameters<ParameterDatabase['transaction']>[0]>[0];

/** The transactions of the changes that are on their way. */
const transactions = new WeakSet<object>();

/**
 * The drizzle transaction in which `onChange` is called: what it writes there is committed with the change, or not at
 * all. On PGlite, which has one connection, it is the only way to the database while `onChange` runs.
 */
export function transactionOf({ transaction }: Pick<ParameterChange, 'transaction'>): ParameterTransaction {
  if (typeof transaction === 'object' && transaction !== null && transactions.has(transaction)) {
    return transaction as ParameterTransaction;
  }
  throw new TypeError('The change comes from no PostgreSQL source');
}

/** Parameters on PostgreSQL 9.5 or later, or on PGlite. The time is the database's clock. */
export function createPostgresSource({ database, table = systemParameters }: PostgresSourceOptions): ParameterSource {
  if (typeof database?.insert !== 'function') {
    throw new SystemParametersSetupError(
      'createPostgresSource: database must be a drizzle database: drizzle(…) of drizzle-orm/postgres-js or /pglite',
    );
  }
  const columns = {
    key: table.key,
    value: table.value,
    isPublic: table.isPublic,
    version: table.version,
    updatedBy: table.updatedBy,
    updatedAt: table.updatedAt,
  };

  /**
   * How many of these rows have the expected version, in the newest committed state: `for update` waits for whoever
   * changes one of them, and reads it again. The rows stay locked to the end of the write, so that of two changes of one
   * table the second sees the first. The order keeps two of them from deadlocking.
   */
  function rowsAsExpected(on: Pick<ParameterDatabase, 'select'>, versions: ParameterWrite['versions']): SQL {
    const held = on
      .select({ key: table.key, version: table.version })
      .from(table)
      .where(inArray(table.key, [...versions.keys()]))
      .orderBy(asc(table.key))
      .for('update')
      .as('held');
    const matches = [...versions].map(([key, version]) => and(eq(held.key, key), eq(held.version, version)));
    return sql`(select count(*) from ${held} where ${sql.join(
      matches.map((match) => sql`(${match})`),
      sql` or `,
    )})`;
  }

  /** One statement: compares, locks and writes. */
  async function update(
    on: Pick<ParameterDatabase, 'select' | 'update'>,
    { key, value, updatedBy, versions }: ParameterWrite,
  ): Promise<ParameterRow | null> {
    const [row] = await on
      .update(table)
      .set({ value, updatedBy, version: sql`${table.version} + 1`, updatedAt: sql`statement_timestamp()` })
      .where(
        and(
          eq(table.key, key),
          eq(table.version, versions.get(key) ?? 0),
          sql`${rowsAsExpected(on, versions)} = ${versions.size}::bigint`,
        ),
      )
      .returning(columns);
    return row ?? null;
  }

  return {
    async declare(parameters) {
      const given = (column: string) => sql.raw(`excluded."${column}"`);
      const neverChanged = sql`${table.version} = 0`;
      await described(
        database
          .insert(table)
          .values(parameters.map((parameter) => ({ ...parameter, value: parameter.defaultValue })))
          .onConflictDoUpdate({
            target: table.key,
            set: {
              type: given('type'),
              defaultValue: given('default_value'),
              description: given('description'),
              value: sql`case when ${neverChanged} then ${given('default_value')} else ${table.value} end`,
            },
            // Nodes that start with the same release lock and write nothing.
            setWhere: sql`(${table.type}, ${table.defaultValue}, ${table.description}) is distinct from (${given('type')}, ${given('default_value')}, ${given('description')}) or (${neverChanged} and ${table.value} <> ${given('default_value')})`,
          }),
      );
    },

    async read(keys) {
      return described(
        database
          .select(columns)
          .from(table)
          .where(inArray(table.key, [...keys])),
      );
    },

    async write(write) {
      const { beforeCommit } = write;
      if (beforeCommit === null) return described(update(database, write));
      return described(
        database.transaction(async (transaction) => {
          const row = await update(transaction, write);
          if (row === null) return null;
          transactions.add(transaction);
          await beforeCommit(row, transaction);
          return row;
        }),
      );
    },
  };
}

/** drizzle wraps the error that says why into one that quotes the whole statement. */
async function described<Result>(query: PromiseLike<Result>): Promise<Result> {
  try {
    return await query;
  } catch (error) {
    throw error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
  }
}
