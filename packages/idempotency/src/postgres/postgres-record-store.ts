import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { databaseRule, guardedCall } from '@sallyport/plugin-kit/postgres';
import { is } from 'drizzle-orm/entity';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { SQL } from 'drizzle-orm/sql';
import { IdempotencySetupError } from '../errors.js';
import type {
  IdempotencyRecord,
  IdempotencyStore,
  KeptResult,
  ProcessingRecord,
  RecordStore,
  RecordTerms,
} from '../records/index.js';
import { groupInserts } from './grouped-inserts.js';
import { prepareStatements } from './postgres-statements.js';
import {
  type DrizzleRecordDatabase,
  explainMissingTable,
  type IdempotencyRecordsTable,
  idempotencyRecords,
  idempotencyTableRule,
  type RecordDatabase,
} from './postgres-table.js';

export interface PostgresIdempotencyStoreOptions {
  /**
   * A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default: the one
   * whose transactions the handlers use. Required. The store never closes it.
   */
  readonly database: RecordDatabase;
  /** Default `idempotencyRecords`, named `idempotency_records`; for another name: `defineIdempotencyRecords(name)`. */
  readonly table?: IdempotencyRecordsTable;
  /**
   * How long a statement of the store waits for a connection and the answer together, in milliseconds, 1 to 60 000.
   * Then the request is refused with 503. Default 1000.
   */
  readonly timeoutMillis?: number;
  /**
   * The number of new records of this process after which it deletes expired ones, 1 to 1 000 000. With 0, it never
   * does: call `sweepExpired` yourself. Default 500.
   */
  readonly sweepEveryRecords?: number;
}

export const POSTGRES_IDEMPOTENCY_STORE_DEFAULTS = {
  table: idempotencyRecords,
  // With this limit, a request that needs two statements is refused within two seconds.
  timeoutMillis: 1000,
  sweepEveryRecords: 500,
} as const satisfies Omit<Required<PostgresIdempotencyStoreOptions>, 'database'>;

const rules = {
  database: databaseRule<DrizzleRecordDatabase>('insert'),
  table: idempotencyTableRule,
  timeoutMillis: wholeNumber({
    min: 1,
    max: 60_000,
    unit: 'milliseconds',
    default: POSTGRES_IDEMPOTENCY_STORE_DEFAULTS.timeoutMillis,
  }),
  sweepEveryRecords: wholeNumber({
    min: 0,
    max: 1_000_000,
    unit: 'records',
    default: POSTGRES_IDEMPOTENCY_STORE_DEFAULTS.sweepEveryRecords,
  }),
};

/**
 * Twice the default number of new records between two sweeps, so that the backlog shrinks. Deleting them takes
 * milliseconds.
 */
const SWEEP_LIMIT = 1000;
const MAX_SWEEP_LIMIT = 100_000;

/** Records on PostgreSQL 9.5 or later, or on PGlite. */
export interface PostgresIdempotencyStore extends IdempotencyStore {
  /**
   * Deletes at most `limit` expired records (1 to 100 000, default 1000) and resolves to their number. The store calls
   * it in the background of every `sweepEveryRecords`th new record; no timer runs.
   */
  sweepExpired(limit?: number): Promise<number>;
}

/** For statements that use no terms. */
const NO_TERMS: RecordTerms = { leaseMillis: 0, retentionMillis: 0 };

/** The options with every default, and the database in the type that this package calls. */
type ReadOptions = Omit<Required<PostgresIdempotencyStoreOptions>, 'database'> & {
  readonly database: DrizzleRecordDatabase;
};

/**
 * Keeps the records in PostgreSQL, so that a handler can complete its key in its own transaction.
 *
 * @example
 * ```ts
 * const database = drizzle(pool);
 * await database.execute('create table if not exists payments (id serial primary key, amount text not null)');
 * await createIdempotencyRecordsTable(database); // or export `idempotencyRecords` from your schema, and migrate it
 * await app.register(idempotency, { store: createPostgresIdempotencyStore({ database }), principalOf: () => 'ada' });
 * ```
 */
export function createPostgresIdempotencyStore(options: PostgresIdempotencyStoreOptions): PostgresIdempotencyStore {
  const { database, table, timeoutMillis, sweepEveryRecords } = readOptions<ReadOptions>(
    { subject: 'createPostgresIdempotencyStore', SetupError: IdempotencySetupError },
    options,
    rules,
  );
  const bounded = guardedCall(
    database,
    createBoundedCall({ timeoutMillis, toError: (reason) => explainMissingTable(reason, table) }),
  );
  const { deleteExpired } = prepareStatements(database, table, NO_TERMS);
  let inserted = 0;

  async function sweepExpired(limit = SWEEP_LIMIT): Promise<number> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_SWEEP_LIMIT) {
      throw new TypeError(`limit must be a whole number of records from 1 to ${MAX_SWEEP_LIMIT}`);
    }
    return (await bounded(() => deleteExpired.execute({ limit }))).length;
  }

  function countInsert(): void {
    inserted += 1;
    if (sweepEveryRecords === 0 || inserted % sweepEveryRecords !== 0) return;
    // The sweep is not awaited. If it fails, the next one deletes the remaining records.
    sweepExpired(Math.max(SWEEP_LIMIT, Math.min(2 * sweepEveryRecords, MAX_SWEEP_LIMIT))).catch(() => {});
  }

  function openRecords(terms: RecordTerms): RecordStore {
    const statements = prepareStatements(database, table, terms);
    // Not bounded itself: each request whose record it carries is.
    const insertBy = (statement: typeof statements.insert) =>
      groupInserts(async (records) => {
        const rows = await statement.execute({ records: JSON.stringify(records) });
        return new Set(rows.map(({ owner }) => owner as string));
      });
    const insertTransactional = insertBy(statements.insertTransactional);
    const insertOther = insertBy(statements.insert);

    return {
      lifetime: 'shared',

      async insert(scope, { digest, owner, isTransactional }) {
        const insert = isTransactional ? insertTransactional : insertOther;
        const isInserted = await bounded((caller) => insert({ scope, digest, owner }, caller));
        countInsert();
        return isInserted;
      },

      async read(scope) {
        const [row] = await bounded(() => statements.read.execute({ scope }));
        if (row === undefined) return null;
        if (row.hasExpired) {
          await bounded(() => statements.deleteIfExpired.execute({ scope }));
          return null;
        }
        return { record: readRow(row), leaseLapsed: row.hasLapsed === true };
      },

      async renew(scope, { owner }) {
        return (await bounded(() => statements.renew.execute({ scope, owner }))).length === 1;
      },

      async replace(scope, { owner }, next) {
        if (next?.state === 'PROCESSING') throw new TypeError('An owner does not start its record again');
        const rows = await bounded((): Promise<unknown[]> => {
          if (next === null) return statements.release.execute({ scope, owner });
          if (next.state === 'UNKNOWN') return statements.doubt.execute({ scope, owner });
          return statements.submit.execute({ scope, owner, result: writeResult(next.result) });
        });
        return rows.length === 1;
      },

      async overtake(scope, { owner }, next) {
        const rows = await bounded((): Promise<unknown[]> => {
          if (next === null) return statements.releaseLapsed.execute({ scope, owner });
          if (next.state === 'UNKNOWN') return statements.doubtLapsed.execute({ scope, owner });
          if (next.state === 'SUBMITTED') throw new TypeError('Only the owner completes a record');
          return statements.takeOver.execute({ scope, owner, successor: next.owner });
        });
        return rows.length === 1;
      },

      async completeWithin(scope, { owner }, transaction, { also, result } = { also: null, result: null }) {
        // Given the database, the statement would commit at once, even if the transaction rolls back.
        if (!is(transaction, PgTransaction)) {
          throw new TypeError('completeWithin takes the transaction that database.transaction(…) passes in');
        }
        if (hasEnded(transaction)) return null;
        if (also !== null && !is(also, SQL)) throw new TypeError('also takes a statement that sql`…` of drizzle made');
        const completion = { scope, owner, result: writeResult(result) };
        return statements.submitWithin(transaction as unknown as DrizzleRecordDatabase, completion, also);
      },

      confirmCompletion: (scope, { owner }, { version }) =>
        bounded(() => statements.confirm({ scope, owner, version })),
    };
  }

  return { openRecords, sweepExpired };
}

/**
 * PGlite refuses a statement after the end of the transaction with an ordinary error. Other drivers send it outside of
 * a transaction.
 */
function hasEnded(transaction: object): boolean {
  const { session } = transaction as { readonly session?: { readonly client?: { readonly closed?: unknown } } };
  return session?.client?.closed === true;
}

function readRow(row: {
  state: IdempotencyRecord['state'];
  digest: string;
  owner: string | null;
  isTransactional: boolean;
}): IdempotencyRecord {
  const { state, digest, owner, isTransactional } = row;
  switch (state) {
    case 'PROCESSING':
      return { state, digest, owner: owner ?? '', isTransactional } satisfies ProcessingRecord;
    case 'SUBMITTED':
      return { state, digest, result: owner === null ? null : (JSON.parse(owner) as KeptResult) };
    case 'UNKNOWN':
      return { state, digest };
  }
}

function writeResult(result: KeptResult | null): string | null {
  return result === null ? null : JSON.stringify(result);
}
