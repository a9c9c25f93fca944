import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, count, desc, eq, lt, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { readCursorId } from '../../http/lists.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { beginsWith, type CursorPage, type CursorRequest, readPage } from '../../storage/pages.js';
import { renderQuery } from '../../storage/rendered-query.js';
import { storedFiles } from './table.js';

export type FileRecord = typeof storedFiles.$inferSelect;

export type NewFileRecord = Omit<FileRecord, 'state' | 'createdAt'>;

/** The uploader of a file. */
export type FileOwner = Pick<FileRecord, 'createdBy' | 'createdByAudience'>;

/** The audience is `admin` or `app`, as in `config.access` of the routes. */
export function ownerOf({ subject, audience }: { readonly subject: string; readonly audience: string }): FileOwner {
  return { createdBy: subject, createdByAudience: audience === 'app' ? 'app' : 'admin' };
}

export interface FileListRequest extends CursorRequest {
  readonly name?: string | undefined;
}

/** The table `stored_files`. Each change is made in the transaction of its audit record (AUD-8). */
export interface FileRecords {
  /** Adds a file. null: the uploader already has one with this upload key. */
  add(transaction: Queries, record: NewFileRecord): Promise<FileRecord | null>;
  findByUploadKey(transaction: Queries, record: NewFileRecord): Promise<FileRecord | null>;
  /** null: there is none, or it is of another owner. */
  find(id: string, owner?: FileOwner): Promise<FileRecord | null>;
  /** The newest first. null: of every owner. With a name, those whose name begins with it. */
  list(request: FileListRequest, owner: FileOwner | null): Promise<CursorPage<FileRecord>>;
  /** Resolves to the removed file. null: there is none. */
  remove(transaction: Queries, id: string): Promise<FileRecord | null>;
}

/** Nodes of an earlier release may leave rows in other states; clients never see them (storage/content-ledger.ts). */
const isStored = eq(storedFiles.state, 'stored');

const { placeholder } = sql;
const isThis = and(eq(storedFiles.id, placeholder('id')), isStored);
const isOwn = isOf({ createdBy: placeholder('createdBy'), createdByAudience: placeholder('createdByAudience') });

const selectFile = renderQuery((reading: Reading) => reading.select().from(storedFiles).where(isThis).prepare(UNNAMED));

const selectOwnFile = renderQuery((reading: Reading) =>
  reading.select().from(storedFiles).where(and(isThis, isOwn)).prepare(UNNAMED),
);

export function createFileRecords({ reading }: ReadableDatabase): FileRecords {
  return {
    async add(transaction, record) {
      const target = [storedFiles.createdBy, storedFiles.uploadKey];
      const insert = transaction.insert(storedFiles).values({ ...record, state: 'stored' });
      return first(await insert.onConflictDoNothing({ target }).returning());
    },

    async findByUploadKey(transaction, { createdBy, uploadKey }) {
      if (uploadKey === null) return null;
      const isWanted = and(eq(storedFiles.createdBy, createdBy), eq(storedFiles.uploadKey, uploadKey));
      return first(await transaction.select().from(storedFiles).where(isWanted));
    },

    async find(id, owner) {
      const found = owner === undefined ? selectFile(reading, { id }) : selectOwnFile(reading, { id, ...owner });
      return first(await withinLimit(found));
    },

    async list(request, owner) {
      const after = readCursorId(request.after);
      const named = request.name === undefined ? undefined : beginsWith(storedFiles.displayName, request.name);
      const isListed = and(isStored, owner === null ? undefined : isOf(owner), named);
      return readPage(request, {
        select: (limit, offset) =>
          withinLimit(
            reading
              .select()
              .from(storedFiles)
              .where(and(isListed, after === null ? undefined : lt(storedFiles.id, after)))
              // Ids are UUIDv7, so they sort by time.
              .orderBy(desc(storedFiles.id))
              .limit(limit)
              .offset(offset),
          ),
        async count() {
          const counted = reading.select({ total: count() }).from(storedFiles).where(isListed);
          return (await withinLimit(counted))[0]?.total ?? 0;
        },
        cursorOf: ({ id }) => id,
      });
    },

    async remove(transaction, id) {
      return first(
        await transaction
          .delete(storedFiles)
          .where(and(eq(storedFiles.id, id), isStored))
          .returning(),
      );
    },
  };
}

type OwnerValues = FileOwner | Readonly<Record<keyof FileOwner, Placeholder>>;

function isOf({ createdBy, createdByAudience }: OwnerValues): SQL | undefined {
  return and(eq(storedFiles.createdBy, createdBy), eq(storedFiles.createdByAudience, createdByAudience));
}

function first(rows: readonly FileRecord[]): FileRecord | null {
  return rows[0] ?? null;
}
