import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { rolesTable } from '../roles/index.js';

export const administrators = pgTable(
  'administrators',
  {
    id: uuid('id').primaryKey(),
    /** Normalised: NFKC, trimmed, lower case. All spellings of a name identify one account. */
    username: text('username').notNull().unique(),
    displayName: text('display_name').notNull(),
    /** BCrypt of what clients send: the lower-case hex SM3 digest of the password. */
    passwordHash: text('password_hash').notNull(),
    /** The last change of the password itself; another hash of the same password is none (PWD-7). */
    passwordChangedAt: timestamp('password_changed_at', { withTimezone: true }).notNull().defaultNow(),
    /** Set by an administrator or a command, and not changed by its owner since. */
    passwordIsInitial: boolean('password_is_initial').notNull().default(false),
    /** The hashes of earlier passwords, the latest first. Empty unless a parameter keeps them. */
    passwordHistory: text('password_history').array().notNull().default([]),
    disabled: boolean('disabled').notNull().default(false),
    /** The last sign-in, to the day, while a rule needs it (PWD-7). */
    lastSignedInAt: timestamp('last_signed_in_at', { withTimezone: true }).notNull().defaultNow(),
    /** Incremented by each change that an administrator makes. A client sends the version that it has read. */
    version: integer('version').notNull().default(1),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  // For searches by the beginning of a name: the index of `unique` has the order of a language.
  (table) => [
    index('administrators_username_search').on(table.username.op('text_pattern_ops')),
    index('administrators_display_name_search').on(sql`lower(${table.displayName}) text_pattern_ops`),
  ],
);

/** Skeletons of names (USR-6). They have a table of their own: signing in never reads it. */
export const nameSkeletons = pgTable(
  'name_skeletons',
  {
    administratorId: uuid('administrator_id')
      .primaryKey()
      .references(() => administrators.id, { onDelete: 'cascade' }),
    skeleton: text('skeleton').notNull(),
    /** Another account looks the same, and an administrator knows it, or both are from before the rule. */
    isConfirmed: boolean('is_confirmed').notNull().default(false),
  },
  (table) => [
    uniqueIndex('name_skeletons_unconfirmed').on(table.skeleton).where(sql`not ${table.isConfirmed}`),
    index().on(table.skeleton),
  ],
);

/** The roles of each administrator. An assigned role can't be deleted. */
export const administratorRoles = pgTable(
  'administrator_roles',
  {
    administratorId: uuid('administrator_id')
      .notNull()
      .references(() => administrators.id, { onDelete: 'cascade' }),
    roleId: uuid('role_id')
      .notNull()
      .references(() => rolesTable.id, { onDelete: 'restrict' }),
  },
  (table) => [primaryKey({ columns: [table.administratorId, table.roleId] }), index().on(table.roleId)],
);
