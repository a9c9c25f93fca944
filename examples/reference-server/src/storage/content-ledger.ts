import { and, asc, eq, gt, lte, ne, or, sql } from 'drizzle-orm';
import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { type Database, type Queries, withinLimit } from './database.js';

/**
 * The contents that do not belong to a file yet, or no longer do. This is not business state: a row is written outside
 * of changes, and is deleted when its content belongs to a file or is removed (AUD-8).
 */
export const fileContents = pgTable(
  'file_contents',
  {
    storageKey: text('storage_key').primaryKey(),
    /**
     * `arriving`: the content is being published. `abandoned`: its upload failed, but the storage may complete a write
     * late. `removed`: its file was deleted.
     */
    state: text('state', { enum: ['arriving', 'abandoned', 'removed'] }).notNull(),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index().on(table.state, table.changedAt)],
);

/** The ages at which remains are swept, in milliseconds, by the clock of the database, which all nodes share. */
export interface SweepAges {
  /** The time without a renewal after which an upload counts as dead. */
  readonly arrivingMillis: number;
  /** The time for which the storage may still complete a failed write. Longer than any upload takes. */
  readonly abandonedMillis: number;
}

/** Records which contents exist, from before the first byte is published until the last one is removed (UPL-8). */
export interface ContentLedger {
  /** Notes a content that is about to be published. */
  announce(storageKey: string): Promise<void>;
  /** Restarts the lease of an arriving content. */
  renew(storageKey: string): Promise<void>;
  /**
   * Assigns an arriving content to a file, in the transaction that inserts the file.
   *
   * @throws {ContentAbandonedError} if a sweep has taken it; then roll back
   */
  keepWithin(transaction: Queries, storageKey: string): Promise<void>;
  /** Notes the content of a deleted file, in the transaction that deletes the file. */
  discardWithin(transaction: Queries, storageKey: string): Promise<void>;
  /** Abandons an announced content. Resolves to false if it belongs to a file, in which case it must stay. */
  abandon(storageKey: string): Promise<boolean>;
  /** Abandons every arriving content whose lease has run out. Resolves to their keys. */
  abandonOld(ages: SweepAges): Promise<readonly string[]>;
  /**
   * The contents that remain to be removed, one batch at a time: of deleted files, and of failed uploads once no write
   * can come late.
   *
   * @param after the last key of the previous batch
   */
  leftovers(ages: SweepAges, after: string | null): Promise<readonly string[]>;
  /** Forgets a content that has been removed. */
  forget(storageKey: string): Promise<void>;
}

/** A sweep has taken the content: its upload had not renewed the lease in time. */
export class ContentAbandonedError extends Error {
  override readonly name = 'ContentAbandonedError';
  constructor() {
    super('a sweep took the content of an upload that was under way');
  }
}

/** Keys per batch of `leftovers`. */
const LEFTOVERS_AT_ONCE = 100;

/** The ledger, on the handle that can write. Modules have only these functions. */
export function createContentLedger({ orm }: Pick<Database, 'orm'>): ContentLedger {
  const { storageKey: key, state, changedAt } = fileContents;
  const isOlderThan = (millis: number) => lte(changedAt, sql`now() - ${millis} * interval '1 millisecond'`);
  const set = (next: 'arriving' | 'abandoned') => orm.update(fileContents).set({ state: next, changedAt: sql`now()` });

  /**
   * Earlier releases kept pending and removed uploads in `stored_files`. Their nodes may still run during a rolling
   * restart, and leave such rows. No client has seen them.
   */
  async function adoptEarlier({ abandonedMillis }: SweepAges): Promise<void> {
    await withinLimit(
      orm.execute(sql`
        with gone as (
          delete from stored_files
          where state = 'removed'
            or state = 'pending' and created_at <= now() - ${abandonedMillis} * interval '1 millisecond'
          returning storage_key
        )
        insert into file_contents (storage_key, state) select storage_key, 'removed' from gone
        on conflict do nothing`),
    );
  }

  return {
    async announce(storageKey) {
      await withinLimit(orm.insert(fileContents).values({ storageKey, state: 'arriving' }));
    },

    async renew(storageKey) {
      await withinLimit(set('arriving').where(and(eq(key, storageKey), eq(state, 'arriving'))));
    },

    async keepWithin(transaction, storageKey) {
      const isArriving = and(eq(key, storageKey), eq(state, 'arriving'));
      const kept = await transaction.delete(fileContents).where(isArriving).returning({ key });
      if (kept.length === 0) throw new ContentAbandonedError();
    },

    async discardWithin(transaction, storageKey) {
      await transaction.insert(fileContents).values({ storageKey, state: 'removed' });
    },

    async abandon(storageKey) {
      // Waits for the end of a transaction that is keeping the content. Once that has committed, there is no row.
      const isOurs = and(eq(key, storageKey), ne(state, 'removed'));
      return (await withinLimit(set('abandoned').where(isOurs).returning({ key }))).length === 1;
    },

    async abandonOld(ages) {
      await adoptEarlier(ages);
      const isDead = and(eq(state, 'arriving'), isOlderThan(ages.arrivingMillis));
      return (await withinLimit(set('abandoned').where(isDead).returning({ key }))).map((row) => row.key);
    },

    async leftovers({ abandonedMillis }, after) {
      const isLeft = or(eq(state, 'removed'), and(eq(state, 'abandoned'), isOlderThan(abandonedMillis)));
      const isWanted = after === null ? isLeft : and(isLeft, gt(key, after));
      const query = orm.select({ key }).from(fileContents).where(isWanted).orderBy(asc(key));
      return (await withinLimit(query.limit(LEFTOVERS_AT_ONCE))).map((row) => row.key);
    },

    async forget(storageKey) {
      await withinLimit(orm.delete(fileContents).where(and(eq(key, storageKey), ne(state, 'arriving'))));
    },
  };
}
