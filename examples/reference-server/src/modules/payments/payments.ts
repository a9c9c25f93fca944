import { count, desc, eq } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError } from '../../http/errors.js';
import { type Completion, type Database, inTransaction, withinLimit } from '../../storage/database.js';
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
  /** Inserts the payment and runs `complete` in one transaction. */
  create(payment: NewPayment, complete: Completion): Promise<Payment>;
}

export function createPayments(database: Pick<Database, 'orm'>): Payments {
  const { orm } = database;
  return {
    async list(page) {
      const { limit, offset } = bounds(page);
      // Ids are UUIDv7, so they sort by time.
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
