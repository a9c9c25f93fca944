import { NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, cursorPage, INSTANT, THING_ID } from '../../http/example-values.js';
import { defineModule } from '../../http/module.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { definePermissions } from '../../http/permission-group.js';
import { paymentRoutes } from './routes.js';

export { payments as paymentsTable } from './table.js';

const permissions = definePermissions({
  title: { en: 'Payments', 'zh-CN': '付款' },
  permissions: {
    'api:admin:payments:list': { en: 'List and search payments', 'zh-CN': '查看和搜索付款列表' },
    'api:admin:payments:create': { en: 'Make payments', 'zh-CN': '创建付款' },
    'api:admin:payments:read': { en: 'Read a payment', 'zh-CN': '查看付款详情' },
  },
});

const payment = {
  id: THING_ID,
  payee: 'Harbour Supplies',
  amount: '12.50',
  createdBy: ADMINISTRATOR_ID,
  createdAt: INSTANT,
};

const operations: OperationTexts = {
  'GET /admin/payments': { tag: 'Payments', summary: 'List payments', response: { data: [payment], page: cursorPage } },
  'POST /admin/payments': {
    tag: 'Payments',
    summary: 'Make a payment, exactly once',
    description:
      'A retry with the same `Idempotency-Key` and content never pays twice, even after a crash of the server. 409 `IDEMPOTENCY_SUBMITTED` means that the payment was made.',
    request: { payee: 'Harbour Supplies', amount: '12.50' },
    response: { data: payment },
  },
  'GET /admin/payments/:id': {
    tag: 'Payments',
    summary: 'Read a payment',
    refusals: [NotFoundError],
    response: { data: payment },
  },
};

export const payments = defineModule({
  name: 'payments',
  permissions,
  tags: { Payments: 'The business resource that shows a write that takes effect exactly once.' },
  operations,
  routes: paymentRoutes,
});
