import { Type } from 'typebox';
import { exactlyOnceByKey } from '../../http/exactly-once.js';
import { cursorListOf, cursorQuery, idParams, oneOf, readId, searchText } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { millisOf, moment } from '../../http/moments.js';
import { legibleName } from '../../http/name-schemas.js';
import type { Changes } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import { showPage } from '../../storage/pages.js';
import { createPayments, type Payment, paymentAmountFormat } from './payments.js';

export interface PaymentDependencies {
  readonly database: ReadableDatabase;
  readonly changes: Changes;
}

const payment = Type.Object(
  {
    id: Type.String(),
    payee: Type.String(),
    amount: Type.String(),
    /** The id of the administrator who created it. */
    createdBy: Type.String(),
    createdAt: Type.Integer(),
  },
  { title: 'Payment' },
);

const newPayment = Type.Object(
  {
    payee: legibleName(128),
    /** A decimal text: a JSON number could lose digits in parsing. */
    amount: Type.String({ maxLength: 13, format: paymentAmountFormat }),
  },
  { title: 'NewPayment', additionalProperties: false },
);

const paymentQuery = Type.Object(
  {
    ...cursorQuery,
    payee: Type.Optional(searchText),
    from: Type.Optional(moment),
    to: Type.Optional(moment),
  },
  { additionalProperties: false },
);

/** `GET` and `POST /admin/payments`, `GET /admin/payments/:id`: the resource that demonstrates exactly-once writes. */
export async function paymentRoutes(app: App, { database, changes }: PaymentDependencies): Promise<void> {
  const payments = createPayments(database);
  app.get(
    '/admin/payments',
    {
      config: { access: 'admin', permission: 'api:admin:payments:list', audit: 'payment' },
      schema: {
        querystring: paymentQuery,
        response: { 200: cursorListOf(payment) },
      },
    },
    async function listPayments({ query }) {
      const { from, to } = query;
      const request = { ...query, from: millisOf(from), to: millisOf(to) };
      const { items, ...page } = await payments.list(request);
      return { data: items.map(show), page: showPage(query, page) };
    },
  );

  app.post(
    '/admin/payments',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:payments:create',
        audit: { resource: 'payment', changes: 'in-handler' },
        ...exactlyOnceByKey,
      },
      schema: { body: newPayment, response: { 201: oneOf(payment) } },
    },
    async function createPayment(request, reply) {
      const payment = { ...request.body, createdBy: request.principal!.subject };
      const created = await changes.change({ request }, async (transaction, record) => {
        const created = await payments.create(transaction, payment);
        record({ target: created.id });
        return created;
      });
      return reply.code(201).send({ data: show(created) });
    },
  );

  app.get(
    '/admin/payments/:id',
    {
      config: { access: 'admin', permission: 'api:admin:payments:read', audit: 'payment' },
      schema: { params: idParams, response: { 200: oneOf(payment) } },
    },
    async function readPayment({ params }) {
      return { data: show(await payments.read(readId(params))) };
    },
  );
}

function show(payment: Payment) {
  return { ...payment, createdAt: payment.createdAt.getTime() };
}
