import { sql } from 'drizzle-orm';
import { check, index, numeric, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Payments that administrators created. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey(),
    payee: text('payee').notNull(),
    /** Exact; a text in JavaScript. */
    amount: numeric('amount', { precision: 12, scale: 2 }).notNull(),
    /** An administrator's id. Not a foreign key: a payment outlives the account of its creator. */
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('payments_amount_positive', sql`${table.amount} > 0`),
    index().on(table.createdAt),
    // For searches by the beginning of a payee.
    index('payments_payee_search').on(sql`lower(${table.payee}) text_pattern_ops`),
  ],
);
