import { boolean, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { rolesTable } from '../roles/index.js';

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

/** Which administrator has which role. A role that somebody has can't be deleted. */
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
