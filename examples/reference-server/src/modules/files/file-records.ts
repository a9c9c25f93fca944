import { and, asc, count, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { type Database, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { storedFiles } from './table.js';

export type FileRecord = typeof storedFiles.$inferSelect;

export type NewFileRecord = Omit<FileRecord, 'state' | 'createdAt'>;

/** The table `stored_files`: which files there are, and what has to be taken away. */
export interface FileRecords {
  /** Adds a pending record; null where the uploader has one under the same upload key. */
  add(record: NewFileRecord): Promise<FileRecord | null>;
  /** From pending to stored; null where it isn't pending any more. */
  confirm(id: string): Promise<FileRecord | null>;
  /** From pending to removed; null where it isn't pending any more. */
  abandon(id: string): Promise<FileRecord | null>;
  /** The same for all that are pending for so long. */
  abandonOld(pendingMillis: number): Promise<void>;
  findByUploadKey(createdBy: string, uploadKey: string): Promise<FileRecord | null>;
  /** A stored one. */
  find(id: string): Promise<FileRecord | null>;
  /** Stored ones, the newest first. */
  list(page: PageRequest): Promise<Page<FileRecord>>;
  /** From stored to removed; null where it isn't stored. */
  retire(id: string): Promise<FileRecord | null>;
  /** Ends a record whose content is gone. */
  forget(id: string): Promise<void>;
  /** Removed ones, some at a time, the oldest first. @param after the id of the last one that is not wanted again */
  leftovers(after: string | null): Promise<readonly FileRecord[]>;
}

/** How many leftovers one query yields. */
const LEFTOVERS_AT_ONCE = 100;

/** The upload key is free again: the file isn't there, and may be uploaded once more. */
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
      // By the clock of the database, the same for all nodes.
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
      // Ids are UUIDv7: their order is that of time.
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
