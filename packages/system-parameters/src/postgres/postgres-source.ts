import { markCommitted } from '@sallyport/plugin-kit/commits';
import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, guardDatabase, isQueryError, runTransaction, UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm/sql';
import type { ParameterChange } from '../engine/index.js';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterRow, ParameterSource, ParameterWrite } from '../sources/index.js';
import { lendTransaction } from './lent-transaction.js';
import {
  type DrizzleParameterDatabase,
  type ParameterDatabase,
  type ParameterTransaction,
  parameterTableRule,
  type SystemParametersTable,
} from './postgres-table.js';

export interface PostgresSourceOptions {
  /**
   * A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default. Required.
   * The source never closes it.
   */
  readonly database: ParameterDatabase;
  /** The table. Default `systemParameters`, named `system_parameters`; another name: `defineSystemParameters(name)`. */
  readonly table?: SystemParametersTable;
}

/** The transactions of the running changes. */
const transactions = new WeakSet<object>();

/**
 * The drizzle transaction of a change, for `onChange`. Writes of the hook in it are committed with the change, or not
 * at all. On PGlite, which has one connection, it is the only access to the database while `onChange` runs. Once the
 * hook has resolved, failed or reached its limit, every further statement in it rejects.
 *
 * `Transaction` is its type. If your TypeScript emits CommonJS, give the type of your own database.
 */
export function transactionOf<Transaction extends object = ParameterTransaction>({
  transaction,
}: Pick<ParameterChange, 'transaction'>): Transaction {
  if (typeof transaction === 'object' && transaction !== null && transactions.has(transaction)) {
    return transaction as Transaction;
  }
  throw new TypeError('The change does not come from a PostgreSQL source');
}

const rules = { database: databaseRule<DrizzleParameterDatabase>('insert'), table: parameterTableRule };

/** The options with every default, and the database in the type that this package calls. */
type ReadOptions = Omit<Required<PostgresSourceOptions>, 'database'> & { readonly database: DrizzleParameterDatabase };

/**
 * Parameters on PostgreSQL 12 or later, or on PGlite. Times are those of the database's clock.
 *
 * @example
 * ```ts
 * async function startNode() {
 *   const app = Fastify();
 *   await app.register(systemParameters, {
 *     tables: [{ definitions: shop }],
 *     source: createPostgresSource({ database }),
 *     notifier: createPostgresNotifier({ client }),
 *   });
 *   return app;
 * }
 * ```
 */
export function createPostgresSource(options: PostgresSourceOptions): ParameterSource {
  const { database, table } = readOptions<ReadOptions>(
    { subject: 'createPostgresSource', SetupError: SystemParametersSetupError },
    options,
    rules,
  );
  const guard = guardDatabase(database);
  const columns = {
    key: table.key,
    value: table.value,
    isPublic: table.isPublic,
    version: table.version,
    updatedBy: table.updatedBy,
    updatedAt: table.updatedAt,
  };

  // The keys are one text, because drivers pass lists in different ways.
  const selectRows = database
    .select(columns)
    .from(table)
    .where(sql`${table.key} in (select json_array_elements_text(${sql.placeholder('keys')}::json))`)
    .prepare(UNNAMED);

  /**
   * The number of these rows with the expected version, in the newest committed state. `for update` waits for
   * concurrent changes and reads the rows again. The rows stay locked until the write ends, so that of two changes of
   * one table the second sees the first. The fixed order prevents deadlocks between two writes.
   */
  function rowsAsExpected(on: Pick<DrizzleParameterDatabase, 'select'>, versions: ParameterWrite['versions']): SQL {
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

  /**
   * Runs a statement that uses only the table of the parameters. If the table is missing, the error says how to create
   * it.
   */
  async function fromTable<Result>(query: () => PromiseLike<Result>): Promise<Result> {
    try {
      return await unwrapped(guard(query));
    } catch (cause) {
      throw explained(cause);
    }
  }

  /** A single statement that compares, locks and writes. */
  async function update(
    on: Pick<DrizzleParameterDatabase, 'select' | 'update'>,
    { key, value, updatedBy, versions }: ParameterWrite,
  ): Promise<ParameterRow | null> {
    const since = sql`case when ${table.value} = ${value} then ${table.updatedAt} end`;
    const [row] = await on
      .update(table)
      .set({
        value,
        updatedBy,
        version: sql`${table.version} + 1`,
        updatedAt: sql`coalesce(${since}, statement_timestamp())`,
      })
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
      const defaultChanged = sql`${table.value} <> ${given('default_value')}`;
      const described = sql`(${table.type}, ${table.defaultValue}, ${table.description})`;
      const declared = sql`(${given('type')}, ${given('default_value')}, ${given('description')})`;
      await fromTable(() =>
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
            // If the rows are up to date, as for nodes of the same release, this neither locks nor writes.
            setWhere: sql`${described} is distinct from ${declared} or (${neverChanged} and ${defaultChanged})`,
          }),
      );
    },

    async read(keys) {
      return fromTable(() => selectRows.execute({ keys: JSON.stringify(keys) }));
    },

    async write(write) {
      const { beforeCommit } = write;
      if (beforeCommit === null) return unwrapped(guard(() => update(database, write)));
      const { row, lent } = await unwrapped(
        runTransaction(database, async (transaction) => {
          const updated = await update(transaction, write);
          const handed = lendTransaction(transaction);
          if (updated !== null) {
            transactions.add(handed.transaction);
            // A hook that takes too long goes on, and one that has resolved may have left something running.
            await beforeCommit(updated, handed.transaction).finally(handed.takeBack);
          }
          return { row: updated, lent: handed.transaction };
        }),
      );
      // Those that wrote in it ask for its outcome by the object that was lent.
      markCommitted(lent);
      return row;
    },
  };
}

/** Unwraps the errors of drizzle, whose messages quote the whole statement. */
async function unwrapped<Result>(query: PromiseLike<Result>): Promise<Result> {
  try {
    return await query;
  } catch (error) {
    throw isQueryError(error) && error.cause !== undefined ? error.cause : error;
  }
}

/** The SQLSTATE of PostgreSQL for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

function explained(cause: unknown): unknown {
  if (!(cause instanceof Error) || Reflect.get(cause, 'code') !== UNDEFINED_TABLE) return cause;
  const fix =
    'migrate the schema that exports systemParameters, or call createSystemParametersTable(database) of ' +
    '@sallyport/system-parameters/postgres';
  return Object.assign(new Error(`${cause.message}: ${fix}`, { cause }), { code: UNDEFINED_TABLE });
}
