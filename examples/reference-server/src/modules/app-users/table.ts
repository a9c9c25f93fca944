import { boolean, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Users who sign in with a mobile number (APP-3). */
export const appUsers = pgTable('app_users', {
  id: uuid('id').primaryKey(),
  /** In E.164, so that all spellings of a number identify one user. */
  mobile: text('mobile').notNull().unique(),
  displayName: text('display_name').notNull().default(''),
  /** BCrypt, as for administrators. null: the user signs in with codes only. */
  passwordHash: text('password_hash'),
  /** The last change of the password itself; another hash of the same password is none (PWD-7). */
  passwordChangedAt: timestamp('password_changed_at', { withTimezone: true }).notNull().defaultNow(),
  /** The hashes of earlier passwords, the latest first. Empty unless a parameter keeps them. */
  passwordHistory: text('password_history').array().notNull().default([]),
  disabled: boolean('disabled').notNull().default(false),
  /** The last sign-in, to the day, while a rule needs it (PWD-7). */
  lastSignedInAt: timestamp('last_signed_in_at', { withTimezone: true }).notNull().defaultNow(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
