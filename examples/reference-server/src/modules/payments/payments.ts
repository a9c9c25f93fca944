import { count, desc, eq } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError } from '../../http/errors.js';
import { type Queries, type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { payments } from './table.js';

export type Payment = typeof payments.$inferSelect;

interface NewPayment {
  readonly payee: string;
  /** Validated by `isAmount`. */
  readonly amount: string;
  /** The id of the administrator who created it. */
  readonly createdBy: string;
}

/** Payments are created once and never changed. */
export interface Payments {
  /** The newest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  read(id: string): Promise<Payment>;
  create(transaction: Queries, payment: NewPayment): Promise<Payment>;
}

export function createPayments({ reading }: ReadableDatabase): Payments {
  return {
    async list(page) {
      const { limit, offset } = bounds(page);
      // Ids are UUIDv7, so they sort by time.
      const items = await withinLimit(
        reading.select().from(payments).orderBy(desc(payments.id)).limit(limit).offset(offset),
      );
      const [all] = await withinLimit(reading.select({ total: count() }).from(payments));
      return { items, total: all?.total ?? 0 };
    },

    async read(id) {
      const [payment] = await withinLimit(reading.select().from(payments).where(eq(payments.id, id)));
      if (payment === undefined) throw new NotFoundError();
      return payment;
    },

    async create(transaction, payment) {
      const rows = await transaction
        .insert(payments)
        .values({ ...payment, id: uuidv7() })
        .returning();
      return rows[0] as Payment;
    },
  };
}
