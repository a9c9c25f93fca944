import { bigint, boolean, index, pgTable, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';

/**
 * Uploaded files (UPL-8). A content that is not just coming in has a row from before it is there until after it is
 * gone: whatever a crash leaves, a row says where. Only `stored` ones exist for clients.
 */
export const storedFiles = pgTable(
  'stored_files',
  {
    id: uuid('id').primaryKey(),
    /** `pending`: accepted, and on its way to its place. `removed`: on its way out. */
    state: text('state', { enum: ['pending', 'stored', 'removed'] }).notNull(),
    /** Where the content lies. Made here, at random, of nothing that a client sent (UPL-7). */
    storageKey: text('storage_key').notNull().unique(),
    displayName: text('display_name').notNull(),
    /** In lower case, without the dot. */
    extension: text('extension').notNull(),
    /** As verified; what the content is served as. */
    mediaType: text('media_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Lower-case hex. */
    sha256: text('sha256').notNull(),
    publicPreview: boolean('public_preview').notNull(),
    /** An administrator. No reference: a file outlives the account of whoever uploaded it. */
    createdBy: uuid('created_by').notNull(),
    /** The `Idempotency-Key` of the upload. It is free again when the file is deleted. */
    uploadKey: uuid('upload_key'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index().on(table.state, table.id), unique().on(table.createdBy, table.uploadKey)],
);
