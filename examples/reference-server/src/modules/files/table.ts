import { bigint, boolean, index, pgTable, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';

/**
 * Uploaded files (UPL-8). The row of a published content is inserted before the content and deleted after it, so that a
 * crash leaves no content without a row. Only `stored` files are visible to clients.
 */
export const storedFiles = pgTable(
  'stored_files',
  {
    id: uuid('id').primaryKey(),
    /** `pending`: accepted, but not yet published. `removed`: about to be deleted. */
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
    /** An administrator's id. Not a foreign key: a file outlives the account of its uploader. */
    createdBy: uuid('created_by').notNull(),
    /** The `Idempotency-Key` of the upload. Cleared when the file is deleted. */
    uploadKey: uuid('upload_key'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index().on(table.state, table.id), unique().on(table.createdBy, table.uploadKey)],
);
