import { and, asc, count, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { type Database, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { storedFiles } from './table.js';

export type FileRecord = typeof storedFiles.$inferSelect;

export type NewFileRecord = Omit<FileRecord, 'state' | 'createdAt'>;

/** The table `stored_files`: the files, and the contents that remain to be removed. */
export interface FileRecords {
  /** Adds a pending record. null: the uploader already has a record with this upload key. */
  add(record: NewFileRecord): Promise<FileRecord | null>;
  /** From pending to stored. null: the record is not pending. */
  confirm(id: string): Promise<FileRecord | null>;
  /** From pending to removed. null: the record is not pending. */
  abandon(id: string): Promise<FileRecord | null>;
  /** From pending to removed, for every record that has been pending for longer than this. */
  abandonOld(pendingMillis: number): Promise<void>;
  findByUploadKey(createdBy: string, uploadKey: string): Promise<FileRecord | null>;
  /** Finds a stored record. */
  find(id: string): Promise<FileRecord | null>;
  /** Stored records, the newest first. */
  list(page: PageRequest): Promise<Page<FileRecord>>;
  /** From stored to removed. null: the record is not stored. */
  retire(id: string): Promise<FileRecord | null>;
  /** Deletes a record whose content has been removed. */
  forget(id: string): Promise<void>;
  /**
   * Removed records, one batch at a time, the oldest first.
   *
   * @param after the id of the last record of the previous batch
   */
  leftovers(after: string | null): Promise<readonly FileRecord[]>;
}

/** Records per batch of `leftovers`. */
const LEFTOVERS_AT_ONCE = 100;

/** Clears the upload key, so that the file can be uploaded again. */
const removed = { state: 'removed', uploadKey: null } as const;

export function createFileRecords({ orm }: Pick<Database, 'orm'>): FileRecords {
  const isStored = (id: string) => and(eq(storedFiles.id, id), eq(storedFiles.state, 'stored'));
  const isPending = (id: string) => and(eq(storedFiles.id, id), eq(storedFiles.state, 'pending'));

  return {
    async add(record) {
      const target = [storedFiles.createdBy, storedFiles.uploadKey];
      const insert = orm.insert(storedFiles).values({ ...record, state: 'pending' });
      return first(await withinLimit(insert.onConflictDoNothing({ target }).returning()));
    },

    async confirm(id) {
      return first(
        await withinLimit(orm.update(storedFiles).set({ state: 'stored' }).where(isPending(id)).returning()),
      );
    },

    async abandon(id) {
      return first(await withinLimit(orm.update(storedFiles).set(removed).where(isPending(id)).returning()));
    },

    async abandonOld(pendingMillis) {
      // By the clock of the database, which all nodes share.
      const isOld = lte(storedFiles.createdAt, sql`now() - ${pendingMillis} * interval '1 millisecond'`);
      await withinLimit(
        orm
          .update(storedFiles)
          .set(removed)
          .where(and(eq(storedFiles.state, 'pending'), isOld)),
      );
    },

    async findByUploadKey(createdBy, uploadKey) {
      const isThis = and(eq(storedFiles.createdBy, createdBy), eq(storedFiles.uploadKey, uploadKey));
      return first(await withinLimit(orm.select().from(storedFiles).where(isThis)));
    },

    async find(id) {
      return first(await withinLimit(orm.select().from(storedFiles).where(isStored(id))));
    },

    async list(page) {
      const { limit, offset } = bounds(page);
      const isListed = eq(storedFiles.state, 'stored');
      // Ids are UUIDv7, so they sort by time.
      const query = orm.select().from(storedFiles).where(isListed).orderBy(desc(storedFiles.id));
      const items = await withinLimit(query.limit(limit).offset(offset));
      const [all] = await withinLimit(orm.select({ total: count() }).from(storedFiles).where(isListed));
      return { items, total: all?.total ?? 0 };
    },

    async retire(id) {
      return first(await withinLimit(orm.update(storedFiles).set(removed).where(isStored(id)).returning()));
    },

    async forget(id) {
      await withinLimit(orm.delete(storedFiles).where(eq(storedFiles.id, id)));
    },

    leftovers(after) {
      const isRemoved = eq(storedFiles.state, 'removed');
      const isWanted = after === null ? isRemoved : and(isRemoved, gt(storedFiles.id, after));
      const query = orm.select().from(storedFiles).where(isWanted).orderBy(asc(storedFiles.id));
      return withinLimit(query.limit(LEFTOVERS_AT_ONCE));
    },
  };
}

function first(rows: readonly FileRecord[]): FileRecord | null {
  return rows[0] ?? null;
}
