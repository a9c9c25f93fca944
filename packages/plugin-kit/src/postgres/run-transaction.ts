import { type SQL, sql } from 'drizzle-orm/sql';
import { refusalError } from '../refusals/refusal-errors.js';
import { markCommitted } from './commits.js';
import { clientOf } from './database-client.js';
import { guardDatabase } from './database-guard.js';
import { refusesTransactions, UnmendedDriverError } from './driver-warning.js';
import { pooledTransactionOf } from './pooled-transaction.js';
import { refusals } from './refusals.js';
import { renderStatement } from './rendered-statement.js';

/** A drizzle database over postgres-js, node-postgres or PGlite. Either declaration of drizzle's classes fits. */
export interface CommittingDatabase {
  transaction(...given: never): Promise<unknown>;
}

/** The transaction that `database.transaction(…)` of the given database passes to the work. */
export type TransactionOf<Database extends CommittingDatabase> = FirstParameter<
  FirstParameter<Database['transaction']>
>;

type FirstParameter<Called> = Called extends (first: infer First, ...rest: never) => unknown ? First : never;

/** PostgreSQL answered the commit with ROLLBACK: nothing of the transaction is stored. */
export class TransactionRolledBackError extends refusalError(refusals, 'TRANSACTION_ROLLED_BACK') {
  override readonly name = 'TransactionRolledBackError';
}

/** {@link CommittingDatabase} as this module calls it. */
interface DrizzleDatabase<Transaction> {
  transaction(work: (transaction: Transaction) => Promise<void>): Promise<void>;
}

/** The drizzle transaction as this module calls it. */
interface DrizzleTransaction {
  execute(statement: SQL): PromiseLike<unknown>;
}

/**
 * The commit as a statement of our own, because no driver's `transaction` looks at the answer to its own commit.
 * `and chain` begins an empty transaction, which the driver then ends. Its outcome does not matter. PostgreSQL 12 or
 * later.
 */
const COMMIT = renderStatement(sql`commit and chain`)({});

/**
 * Runs the work in one transaction, and resolves to its result as soon as PostgreSQL has answered COMMIT. A failure of
 * the connection after that has no effect. It is `database.transaction(…)`, except that a commit which PostgreSQL
 * answers with ROLLBACK is an error, and that over a pool of node-postgres a connection that is lost leaves the pool.
 *
 * Rejects with the error of the work, or with that of the commit. If the connection broke during the commit, the
 * transaction may have been committed. Rejects with TransactionRolledBackError where PostgreSQL rolled it back, with
 * SharedSessionsError if postgres.js lacks the options that the pooler in front of PostgreSQL needs, with
 * UnmendedDriverError if it has them but not its patch, and with TypeError if it is given a transaction instead of the
 * database, because a savepoint commits nothing.
 *
 * @example
 * ```ts
 * const database = drizzle(await PGlite.create());
 * await database.execute('create table orders (id int primary key)');
 *
 * await runTransaction(database, (tx) => tx.execute('insert into orders values (1)'));
 * ```
 */
export function runTransaction<Database extends CommittingDatabase, Result>(
  database: Database,
  work: (transaction: TransactionOf<Database>) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if ('rollback' in database) throw new TypeError('runTransaction takes the database, not a transaction of it');
    const client = clientOf(database);
    if (client !== null && refusesTransactions(client)) throw new UnmendedDriverError();
    let failure: readonly [unknown] | null = null;
    async function workAndCommit(transaction: TransactionOf<Database>): Promise<void> {
      failure = null;
      try {
        const result = await work(transaction);
        await commit(transaction as DrizzleTransaction);
        markCommitted(transaction as object);
        resolve(result);
      } catch (error) {
        failure = [error];
        throw error;
      }
    }
    // On a lost connection the rollback fails as well. Its error does not contain the reason.
    guardDatabase(database)(() => begin(database, workAndCommit)).catch((error) =>
      reject(failure ? failure[0] : error),
    );
  });
}

function begin<Database extends CommittingDatabase>(
  database: Database,
  work: (transaction: TransactionOf<Database>) => Promise<void>,
): Promise<void> {
  const pooled = pooledTransactionOf(database);
  if (pooled !== null) return pooled((transaction) => work(transaction as TransactionOf<Database>));
  return (database as unknown as DrizzleDatabase<TransactionOf<Database>>).transaction(work);
}

async function commit(transaction: DrizzleTransaction): Promise<void> {
  let answer: { readonly command?: unknown };
  try {
    // A statement without parameters is never prepared. A pooler may send it to a connection on which no statement of
    // ours is prepared.
    answer = (await transaction.execute(COMMIT)) as typeof answer;
  } catch (error) {
    throw isQueryError(error) && error.cause !== undefined ? error.cause : error;
  }
  if (answer.command === 'ROLLBACK') throw new TransactionRolledBackError();
  if (answer.command !== 'COMMIT') {
    throw new TypeError(
      'This driver does not report how PostgreSQL answered the commit, so it may have been made or not: ' +
        'use postgres.js, node-postgres, or PGlite from 0.5.6 on',
    );
  }
}

/**
 * drizzle's DrizzleQueryError. `instanceof` can't be used, because an application in CommonJS has another copy of the
 * class.
 */
export function isQueryError(error: unknown): error is Error {
  return error instanceof Error && 'query' in error && typeof error.query === 'string' && 'params' in error;
}
