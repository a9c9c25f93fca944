import { boolean, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** The second factors of an account (MFA-1), and what decides whether it may enrol one (MFA-2). */
export const secondFactors = pgTable(
  'second_factors',
  {
    audience: text('audience').notNull(),
    subject: uuid('subject').notNull(),
    /** Compared by each change of the record. Null: the account has no record yet. */
    version: text('version'),
    /** The JSON of the package. Secrets in it are encrypted, codes are hashed. */
    record: text('record'),
    /** Whether the record has a factor, for requests that ask no more. */
    isEnrolled: boolean('is_enrolled').notNull().default(false),
    resetAt: timestamp('reset_at', { withTimezone: true }),
    /** The hash of the one-time code that allows an enrolment after the days of grace. */
    enrolmentCodeHash: text('enrolment_code_hash'),
    enrolmentCodeExpiresAt: timestamp('enrolment_code_expires_at', { withTimezone: true }),
  },
  (table) => [primaryKey({ columns: [table.audience, table.subject] })],
);
