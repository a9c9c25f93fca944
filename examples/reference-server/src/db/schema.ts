import { boolean, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

export { ttlEntries } from '@sallyport/ttl-store/postgres';

export const administrators = pgTable('administrators', {
  id: uuid('id').primaryKey(),
  /** Normalised: NFKC, trimmed, lower case. Two spellings of one name are one account. */
  username: text('username').notNull().unique(),
  displayName: text('display_name').notNull(),
  /** BCrypt over what clients send, which is the lower-case hex SM3 of the password. */
  passwordHash: text('password_hash').notNull(),
  /** Permission codes; a grant may end in `*`. */
  permissions: text('permissions').array().notNull(),
  disabled: boolean('disabled').notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
