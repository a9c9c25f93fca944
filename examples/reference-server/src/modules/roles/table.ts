import { integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Roles: named sets of permissions. */
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
