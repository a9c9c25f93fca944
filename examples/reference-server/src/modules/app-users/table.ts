import { boolean, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

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
