import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';

export { auditChainHeads, auditPending, auditRecords } from '@sallyport/audit-log/postgres';
export { idempotencyRecords } from '@sallyport/idempotency/postgres';
export { systemParameters } from '@sallyport/system-parameters/postgres';
export { ttlEntries } from '@sallyport/ttl-store/postgres';

export const administrators = pgTable('administrators', {
  id: uuid('id').primaryKey(),
  /** Normalised: NFKC, trimmed, lower case. Two spellings of one name are one account. */
  username: text('username').notNull().unique(),
  displayName: text('display_name').notNull(),
  /** BCrypt over what clients send, which is the lower-case hex SM3 of the password. */
  passwordHash: text('password_hash').notNull(),
  disabled: boolean('disabled').notNull().default(false),
  /** Counts the changes that administrators make: whoever changes says which version he saw. */
  version: integer('version').notNull().default(1),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/** What administrators may do, under a name. */
export const roles = pgTable('roles', {
  id: uuid('id').primaryKey(),
  /** NFKC, trimmed. */
  name: text('name').notNull().unique(),
  /** Permission codes; a grant may end in `*`. */
  permissions: text('permissions').array().notNull(),
  version: integer('version').notNull().default(1),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Which administrator has which role. A role that somebody has can't be deleted. */
export const administratorRoles = pgTable(
  'administrator_roles',
  {
    administratorId: uuid('administrator_id')
      .notNull()
      .references(() => administrators.id, { onDelete: 'cascade' }),
    roleId: uuid('role_id')
      .notNull()
      .references(() => roles.id, { onDelete: 'restrict' }),
  },
  (table) => [primaryKey({ columns: [table.administratorId, table.roleId] }), index().on(table.roleId)],
);

/** Payments that administrators asked for. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey(),
    payee: text('payee').notNull(),
    /** Exact, and a text in JavaScript. */
    amount: numeric('amount', { precision: 12, scale: 2 }).notNull(),
    /** An administrator. No reference: a payment outlives the account of whoever asked for it. */
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [check('payments_amount_positive', sql`${table.amount} > 0`)],
);

/** Who signs in with a mobile number (APP-3). */
export const appUsers = pgTable('app_users', {
  id: uuid('id').primaryKey(),
  /** In E.164: however a number is written, it is one user. */
  mobile: text('mobile').notNull().unique(),
  displayName: text('display_name').notNull().default(''),
  /** BCrypt, as of administrators; null: this user signs in by codes alone. */
  passwordHash: text('password_hash'),
  disabled: boolean('disabled').notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/**
 * Uploaded files (UPL-8). A content that is not just coming in has a row from before it is there until after it is gone:
 * whatever a crash leaves, a row says where. Only `stored` ones exist for clients.
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
