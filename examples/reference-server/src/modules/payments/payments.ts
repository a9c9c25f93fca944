import { and, count, desc, eq, gte, lt } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { defineBodyFormat } from '../../http/body-formats.js';
import { NotFoundError } from '../../http/errors.js';
import { readCursorId } from '../../http/lists.js';
import { dateOf } from '../../http/moments.js';
import { type Queries, type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { beginsWith, type CursorPage, type CursorRequest, readPage } from '../../storage/pages.js';
import { payments } from './table.js';

/** Whole units without leading zeros, and up to two decimals. Ten digits are what `numeric(12, 2)` holds. */
const AMOUNT = /^(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,2})?$/;

/**
 * Whether the text is a valid amount: more than 0 and at most 9999999999.99. Amounts stay texts, because JavaScript
 * numbers can't represent decimals exactly.
 */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}

export const paymentAmountFormat = defineBodyFormat('payment-amount', {
  accepts: isAmount,
  en: 'has to be more than 0 and at most 9999999999.99, with at most two decimals, such as 12.50',
  'zh-CN': '须大于 0 且不超过 9999999999.99，最多两位小数，例如 12.50',
});

export type Payment = typeof payments.$inferSelect;

interface NewPayment {
  readonly payee: string;
  /** Validated by `isAmount`. */
  readonly amount: string;
  /** The id of the administrator who created it. */
  readonly createdBy: string;
}

export interface PaymentListRequest extends CursorRequest {
  /** The payee begins with this text. */
  readonly payee?: string | undefined;
  /** The earliest time, in milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  /** The first time that is excluded. */
  readonly to?: number | undefined;
}

/** Payments are created once and never changed. */
export interface Payments {
  /** The newest first. */
  list(request: PaymentListRequest): Promise<CursorPage<Payment>>;
  read(id: string): Promise<Payment>;
  create(transaction: Queries, payment: NewPayment): Promise<Payment>;
}

export function createPayments({ reading }: ReadableDatabase): Payments {
  return {
    async list(request) {
      const { from, to, payee } = request;
      const after = readCursorId(request.after);
      const isWanted = and(
        from === undefined ? undefined : gte(payments.createdAt, dateOf(from)),
        to === undefined ? undefined : lt(payments.createdAt, dateOf(to)),
        payee === undefined ? undefined : beginsWith(payments.payee, payee),
      );
      return readPage(request, {
        select: (limit, offset) =>
          withinLimit(
            reading
              .select()
              .from(payments)
              .where(and(isWanted, after === null ? undefined : lt(payments.id, after)))
              // Ids are UUIDv7, so they sort by time.
              .orderBy(desc(payments.id))
              .limit(limit)
              .offset(offset),
          ),
        async count() {
          return (await withinLimit(reading.select({ total: count() }).from(payments).where(isWanted)))[0]?.total ?? 0;
        },
        cursorOf: ({ id }) => id,
      });
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
