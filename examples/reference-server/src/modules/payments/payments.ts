import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, count, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { defineBodyFormat } from '../../http/body-formats.js';
import { NotFoundError } from '../../http/errors.js';
import { readCursorId } from '../../http/lists.js';
import { dateOf } from '../../http/moments.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { beginsWith, type CursorPage, type CursorRequest, patternOf, readPage } from '../../storage/pages.js';
import { renderQueries, renderQuery, type Where } from '../../storage/rendered-query.js';
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

type Wanted = 'from' | 'to' | 'payee';

function isWanted(where: Where<Wanted>) {
  const moment = (name: Wanted) => sql.param(sql.placeholder(name), payments.createdAt);
  return and(
    where('from', gte(payments.createdAt, moment('from'))),
    where('to', lt(payments.createdAt, moment('to'))),
    where('payee', beginsWith(payments.payee, sql.placeholder('payee'))),
  );
}

const selectPayments = renderQueries((reading: Reading, where: Where<Wanted | 'after'>) =>
  reading
    .select()
    .from(payments)
    .where(and(isWanted(where), where('after', lt(payments.id, sql.placeholder('after')))))
    // Ids are UUIDv7, so they sort by time.
    .orderBy(desc(payments.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(UNNAMED),
);

const countPayments = renderQueries((reading: Reading, where: Where<Wanted>) =>
  reading.select({ total: count() }).from(payments).where(isWanted(where)).prepare(UNNAMED),
);

const selectPayment = renderQuery((reading: Reading) =>
  reading
    .select()
    .from(payments)
    .where(eq(payments.id, sql.placeholder('id')))
    .prepare(UNNAMED),
);

const insertPayment = renderQuery((transaction: Queries) =>
  transaction
    .insert(payments)
    .values({
      id: sql.placeholder('id'),
      payee: sql.placeholder('payee'),
      amount: sql.placeholder('amount'),
      createdBy: sql.placeholder('createdBy'),
    })
    .returning()
    .prepare(UNNAMED),
);

export function createPayments({ reading }: ReadableDatabase): Payments {
  return {
    async list(request) {
      const { from, to, payee } = request;
      const wanted = {
        from: from === undefined ? undefined : dateOf(from),
        to: to === undefined ? undefined : dateOf(to),
        payee: payee === undefined ? undefined : patternOf(payee),
      };
      const after = readCursorId(request.after) ?? undefined;
      return readPage(request, {
        select: (limit, offset) => withinLimit(selectPayments(reading, { ...wanted, after, limit, offset })),
        async count() {
          return (await withinLimit(countPayments(reading, wanted)))[0]?.total ?? 0;
        },
        cursorOf: ({ id }) => id,
      });
    },

    async read(id) {
      const [payment] = await withinLimit(selectPayment(reading, { id }));
      if (payment === undefined) throw new NotFoundError();
      return payment;
    },

    async create(transaction, { payee, amount, createdBy }) {
      const rows = await insertPayment(transaction, { id: uuidv7(), payee, amount, createdBy });
      return rows[0] as Payment;
    },
  };
}
