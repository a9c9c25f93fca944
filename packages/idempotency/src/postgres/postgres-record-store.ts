import { is } from 'drizzle-orm/entity';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { createBoundedCall } from '../bounded-call.js';
import { IdempotencySetupError } from '../errors.js';
import type { IdempotencyStore } from '../options.js';
import type { IdempotencyRecord, ProcessingRecord, RecordStore, RecordTerms } from '../records/index.js';
import { prepareStatements } from './postgres-statements.js';
import { type IdempotencyRecordsTable, idempotencyRecords, type RecordDatabase } from './postgres-table.js';

export interface PostgresIdempotencyStoreOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default: the one whose transactions the handlers use. Required. It stays yours: the store never closes it. */
  readonly database: RecordDatabase;
  /** The table. Default `idempotencyRecords`, named `idempotency_records`; another name: `defineIdempotencyRecords(name)`. */
  readonly table?: IdempotencyRecordsTable;
  /** How long a statement of the store's own waits for a connection and the answer together, in milliseconds, 1 to 60 000. Default 1000. Then the request is refused with 503. Requirement IDM-9. */
  readonly timeoutMillis?: number;
  /** After how many new records of this process it deletes expired ones by itself, 1 to 1 000 000; 0 leaves it to your calls of `sweepExpired`. Default 500. */
  readonly sweepEveryRecords?: number;
}

export const POSTGRES_IDEMPOTENCY_STORE_DEFAULTS = {
  table: idempotencyRecords,
  // A caller has two seconds to answer 503, and may need two statements for it.
  timeoutMillis: 1000,
  sweepEveryRecords: 500,
} as const satisfies Omit<Required<PostgresIdempotencyStoreOptions>, 'database'>;

// Twice the new records between two sweeps of the default, so that garbage shrinks; a delete of some milliseconds.
const SWEEP_LIMIT = 1000;

/** Records on PostgreSQL 9.5 or later, or on PGlite. */
export interface PostgresIdempotencyStore extends IdempotencyStore {
  /**
   * Deletes at most `limit` expired records (1 to 100 000, default 1000) and resolves to their number. The store calls it
   * by itself, in the background of every `sweepEveryRecords`th new record; no timer runs.
   */
  sweepExpired(limit?: number): Promise<number>;
}

/** Terms for statements that need none. */
const NO_TERMS: RecordTerms = { leaseMillis: 0, retentionMillis: 0 };

export function createPostgresIdempotencyStore(options: PostgresIdempotencyStoreOptions): PostgresIdempotencyStore {
  const { database, table, timeoutMillis, sweepEveryRecords } = checkOptions(options);
  const bounded = createBoundedCall(timeoutMillis);
  const { deleteExpired } = prepareStatements(database, table, NO_TERMS);
  let inserted = 0;

  async function sweepExpired(limit = SWEEP_LIMIT): Promise<number> {
    if (!isWhole(limit, 1, 100_000)) throw new TypeError('limit must be a whole number of records from 1 to 100000');
    return (await bounded(() => deleteExpired.execute({ limit }))).length;
  }

  function countInsert(): void {
    inserted += 1;
    if (sweepEveryRecords === 0 || inserted % sweepEveryRecords !== 0) return;
    // No request waits for it, and none is harmed by its failure: the next sweep finds what this one left.
    sweepExpired(Math.max(SWEEP_LIMIT, Math.min(2 * sweepEveryRecords, 100_000))).catch(() => {});
  }

  function openRecords(terms: RecordTerms): RecordStore {
    const statements = prepareStatements(database, table, terms);

    return {
      lifetime: 'shared',

      async insert(scope, { digest, owner, isTransactional }) {
        const insert = isTransactional ? statements.insertTransactional : statements.insert;
        const rows = await bounded(() => insert.execute({ scope, digest, owner, isTransactional }));
        countInsert();
        return rows.length === 1;
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
        if (next?.state === 'PROCESSING') throw new TypeError('An owner does not begin anew');
        const statement = next === null ? statements.release : statements.settle[next.state];
        return (await bounded(() => statement.execute({ scope, owner }))).length === 1;
      },

      async overtake(scope, { owner }, next) {
        const rows = await bounded((): Promise<unknown[]> => {
          if (next === null) return statements.releaseLapsed.execute({ scope, owner });
          if (next.state === 'UNKNOWN') return statements.doubtLapsed.execute({ scope, owner });
          if (next.state === 'SUBMITTED') throw new TypeError('Only the owner completes');
          return statements.takeOver.execute({ scope, owner, successor: next.owner });
        });
        return rows.length === 1;
      },

      async completeWithin(scope, { owner }, transaction) {
        // The database itself would commit the record at once, whatever becomes of the transaction.
        if (!is(transaction, PgTransaction)) {
          throw new TypeError('completeWithin takes the transaction that database.transaction(…) hands over');
        }
        const held = { scope, owner };
        return statements.submitWithin(transaction as unknown as RecordDatabase, held);
      },
    };
  }

  return { openRecords, sweepExpired };
}

function readRow(row: {
  state: IdempotencyRecord['state'];
  digest: string;
  owner: string | null;
  isTransactional: boolean;
}): IdempotencyRecord {
  const { state, digest, owner, isTransactional } = row;
  if (state !== 'PROCESSING') return { state, digest };
  return { state, digest, owner: owner ?? '', isTransactional } satisfies ProcessingRecord;
}

function checkOptions(given: PostgresIdempotencyStoreOptions): Required<PostgresIdempotencyStoreOptions> {
  const {
    database,
    table = POSTGRES_IDEMPOTENCY_STORE_DEFAULTS.table,
    timeoutMillis = POSTGRES_IDEMPOTENCY_STORE_DEFAULTS.timeoutMillis,
    sweepEveryRecords = POSTGRES_IDEMPOTENCY_STORE_DEFAULTS.sweepEveryRecords,
  } = given;
  const checks: readonly (readonly [boolean, string])[] = [
    [
      typeof database?.insert === 'function',
      'database must be a drizzle database: drizzle(…) of drizzle-orm/postgres-js or /pglite',
    ],
    [isWhole(timeoutMillis, 1, 60_000), 'timeoutMillis must be a whole number of milliseconds from 1 to 60000'],
    [isWhole(sweepEveryRecords, 0, 1_000_000), 'sweepEveryRecords must be a whole number of records from 0 to 1000000'],
  ];
  const faults = checks.filter(([isRight]) => !isRight).map(([, fault]) => fault);
  if (faults.length > 0) throw new IdempotencySetupError(`createPostgresIdempotencyStore: ${faults.join('; ')}`);
  return { database, table, timeoutMillis, sweepEveryRecords };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}
