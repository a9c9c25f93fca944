import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';

/**
 * Uploaded files (UPL-8). The row is inserted after the content is published, and deleted before the content is
 * removed. The table `file_contents` notes every content in between.
 */
export const storedFiles = pgTable(
  'stored_files',
  {
    id: uuid('id').primaryKey(),
    /** `stored`. Earlier releases had others, and their nodes may still run during a rolling restart. */
    state: text('state', { enum: ['pending', 'stored', 'removed'] }).notNull(),
    /** The storage key, random and independent of all client input (UPL-7). */
    storageKey: text('storage_key').notNull().unique(),
    displayName: text('display_name').notNull(),
    /** In lower case, without the dot. */
    extension: text('extension').notNull(),
    /** The verified type, with which the file is served. */
    mediaType: text('media_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Lower-case hex. */
    sha256: text('sha256').notNull(),
    publicPreview: boolean('public_preview').notNull(),
    /** The id of an administrator or of an app user. Not a foreign key: a file outlives the account of its uploader. */
    createdBy: uuid('created_by').notNull(),
    createdByAudience: text('created_by_audience', { enum: ['admin', 'app'] })
      .notNull()
      .default('admin'),
    /** The `Idempotency-Key` of the upload. By it, a retry is refused even after the record of the key has expired. */
    uploadKey: uuid('upload_key'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index().on(table.state, table.id),
    unique().on(table.createdBy, table.uploadKey),
    // For searches by the beginning of a name.
    index('stored_files_display_name_search').on(sql`lower(${table.displayName}) text_pattern_ops`),
  ],
);
