import { count, desc, eq } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError } from '../../http/errors.js';
import { type Completion, type Database, inTransaction, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { payments } from './table.js';

export type Payment = typeof payments.$inferSelect;

interface NewPayment {
  readonly payee: string;
  /** Checked by `isAmount`. */
  readonly amount: string;
  /** Who asked for it: the id of an administrator. */
  readonly createdBy: string;
}

/** The payments: made once, never changed. */
export interface Payments {
  /** The latest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  read(id: string): Promise<Payment>;
  /** Adds the payment and completes what belongs to it, both or neither. */
  create(payment: NewPayment, complete: Completion): Promise<Payment>;
}

export function createPayments(database: Pick<Database, 'orm'>): Payments {
  const { orm } = database;
  return {
    async list(page) {
      const { limit, offset } = bounds(page);
      // The ids are of version 7, so they are in the order of time.
      const items = await withinLimit(
        orm.select().from(payments).orderBy(desc(payments.id)).limit(limit).offset(offset),
      );
      const [all] = await withinLimit(orm.select({ total: count() }).from(payments));
      return { items, total: all?.total ?? 0 };
    },

    async read(id) {
      const [payment] = await withinLimit(orm.select().from(payments).where(eq(payments.id, id)));
      if (payment === undefined) throw new NotFoundError();
      return payment;
    },

    create(payment, complete) {
      return inTransaction(database, async function createPayment(transaction) {
        const id = uuidv7();
        const rows = await transaction
          .insert(payments)
          .values({ ...payment, id })
          .returning();
        await complete(transaction, id);
        return rows[0] as Payment;
      });
    },
  };
}
