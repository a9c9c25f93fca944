import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { databaseRule, guardedCall } from '@sallyport/plugin-kit/postgres';
import {
  assertExpected,
  assertIncrement,
  assertKey,
  assertKeys,
  assertWrite,
  notACounter,
  type TtlStore,
} from '../contract/index.js';
import { createStoreCall } from '../store-call.js';
import { DEFAULT_TIMEOUT_MILLIS, keyPrefixRule, StoreSetupError, timeoutRule } from '../store-options.js';
import { createPostgresLists } from './postgres-lists.js';
import { createPostgresMarks } from './postgres-marks.js';
import { prepareStatements, readValue } from './postgres-statements.js';
import {
  type DrizzleEntryDatabase,
  type EntryDatabase,
  type TtlEntries,
  ttlEntries,
  ttlTableRule,
} from './postgres-table.js';

export interface PostgresStoreOptions {
  /**
   * A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default. Required.
   * Of one with replicas (`withReplicas`), the store uses the primary alone. The store never closes it.
   */
  readonly database: EntryDatabase;
  /** Default `ttlEntries`, named `ttl_entries`; for another name: `defineTtlEntries(name)`. */
  readonly table?: TtlEntries;
  /** The prefix of every key, 0 to 256 bytes of UTF-8. Default `''`. */
  readonly keyPrefix?: string;
  /**
   * How long a verb waits for a connection and the answer together, in milliseconds, 1 to 60 000. Then it rejects with
   * `StoreUnavailableError`. Default 1000.
   */
  readonly timeoutMillis?: number;
  /**
   * The number of writes of this process after which it deletes expired entries, 1 to 1 000 000. With 0, it never does:
   * call `sweepExpired` yourself. Default 500.
   */
  readonly sweepEveryWrites?: number;
}

export const POSTGRES_STORE_DEFAULTS = {
  table: ttlEntries,
  keyPrefix: '',
  timeoutMillis: DEFAULT_TIMEOUT_MILLIS,
  sweepEveryWrites: 500,
} as const satisfies Omit<Required<PostgresStoreOptions>, 'database'>;

const rules = {
  database: databaseRule<DrizzleEntryDatabase>('insert'),
  table: ttlTableRule,
  keyPrefix: keyPrefixRule({ minBytes: 0, default: POSTGRES_STORE_DEFAULTS.keyPrefix }),
  timeoutMillis: timeoutRule,
  sweepEveryWrites: wholeNumber({
    min: 0,
    max: 1_000_000,
    unit: 'writes',
    default: POSTGRES_STORE_DEFAULTS.sweepEveryWrites,
  }),
};

/**
 * Twice the default number of writes between two sweeps, so that the backlog shrinks. Deleting them takes milliseconds.
 */
const SWEEP_LIMIT = 1000;
const MAX_SWEEP_LIMIT = 100_000;

/** A store on PostgreSQL 9.5 or later, or on PGlite: one statement per verb. */
export interface PostgresStore extends TtlStore {
  /**
   * Deletes at most `limit` expired entries (1 to 100 000, default 1000) and resolves to their number. Expired entries
   * are absent to every verb, swept or not; a sweep frees their space. The store sweeps in the background of every
   * `sweepEveryWrites`th write; no timer runs. Call it yourself, until it returns less than the limit, if you turned
   * that off, or to clear a table that is no longer written to.
   */
  sweepExpired(limit?: number): Promise<number>;
}

/** The options with every default, and the database in the type that this package calls. */
type ReadOptions = Omit<Required<PostgresStoreOptions>, 'database'> & { readonly database: DrizzleEntryDatabase };

/**
 * A store on PostgreSQL, for services without Redis.
 *
 * @example
 * ```ts
 * const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
 * // fetch_types: a connection cut while postgres.js asks for types is an unhandled rejection, which ends the process
 * const database = drizzle({ connection: { url, fetch_types: false } });
 * await createTtlEntriesTable(database); // or export `ttlEntries` from your drizzle schema, and migrate
 * const store = createPostgresStore({ database, keyPrefix: 'visits:' });
 *
 * console.log(await store.increment('all', 3_600_000)); // { value: 1, remainingMillis: 3600000 }
 * ```
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { database, table, keyPrefix, timeoutMillis, sweepEveryWrites } = readOptions<ReadOptions>(
    { subject: 'createPostgresStore', SetupError: StoreSetupError },
    options,
    rules,
  );

  const statements = prepareStatements(database, table);
  const bounded = guardedCall(database, createStoreCall(timeoutMillis));
  let writes = 0;

  async function sweepExpired(limit = SWEEP_LIMIT): Promise<number> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_SWEEP_LIMIT) {
      throw new TypeError(`limit must be a whole number of entries from 1 to ${MAX_SWEEP_LIMIT}`);
    }
    return (await bounded(() => statements.deleteExpired.execute({ limit }))).length;
  }

  function countWrite(): void {
    writes += 1;
    if (sweepEveryWrites === 0 || writes % sweepEveryWrites !== 0) return;
    // The sweep is not awaited. If it fails, the next one deletes the remaining entries.
    sweepExpired(Math.max(SWEEP_LIMIT, Math.min(2 * sweepEveryWrites, MAX_SWEEP_LIMIT))).catch(() => {});
  }

  async function writeIfAbsent(key: string, value: string, ttlMillis: number): Promise<boolean> {
    const rows = await bounded(() => statements.setIfAbsent.execute({ key: keyPrefix + key, value, ttlMillis }));
    countWrite();
    return rows.length === 1;
  }

  async function compareAndSet(
    key: string,
    expected: string | null,
    value: string,
    ttlMillis: number,
  ): Promise<boolean> {
    assertWrite(key, value, ttlMillis);
    if (expected === null) return writeIfAbsent(key, value, ttlMillis);
    assertExpected(expected);
    const entry = { key: keyPrefix + key, expected, value, ttlMillis };
    return (await bounded(() => statements.compareAndSet.execute(entry))).length === 1;
  }

  return {
    lifetime: 'shared',
    sweepExpired,

    async setIfAbsent(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      return writeIfAbsent(key, value, ttlMillis);
    },

    async get(key) {
      assertKey(key);
      const [row] = await bounded(() => statements.get.execute({ key: keyPrefix + key }));
      return readValue(row);
    },

    async getAll(keys) {
      assertKeys(keys);
      const asked = JSON.stringify(keys.map((key) => keyPrefix + key));
      const values = new Array<string | null>(keys.length).fill(null);
      for (const row of await bounded(() => statements.getAll.execute({ asked }))) values[row.place] = readValue(row);
      return values;
    },

    async set(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      await bounded(() => statements.set.execute({ key: keyPrefix + key, value, ttlMillis }));
      countWrite();
    },

    async take(key) {
      assertKey(key);
      const [row] = await bounded(() => statements.take.execute({ key: keyPrefix + key }));
      return readValue(row);
    },

    async increment(key, ttlMillis, by = 1) {
      assertIncrement(key, ttlMillis, by);
      const entry = { key: keyPrefix + key, value: String(by), ttlMillis };
      const [row] = await bounded(() => statements.increment.execute(entry));
      if (row === undefined) throw notACounter();
      countWrite();
      return { value: Number(row.value), remainingMillis: Math.max(1, Math.ceil(row.remainingMillis)) };
    },

    compareAndSet,

    async compareAndDelete(key, expected) {
      assertKey(key);
      assertExpected(expected);
      const rows = await bounded(() => statements.compareAndDelete.execute({ key: keyPrefix + key, expected }));
      return rows.length === 1;
    },

    async delete(key) {
      assertKey(key);
      return (await bounded(() => statements.delete.execute({ key: keyPrefix + key }))).length === 1;
    },

    marks: createPostgresMarks({
      statements,
      keyPrefix,
      bounded,
      countWrite,
      writeIfAbsent,
    }),

    lists: createPostgresLists({ statements, keyPrefix, bounded, countWrite }),

    async time() {
      const [row] = await bounded(() => statements.time.execute());
      return Number(row?.millis);
    },
  };
}
