import { defineModule } from '../../http/module.js';
import { paymentOperations } from './docs.js';
import { paymentPermissions } from './permissions.js';
import { paymentRoutes } from './routes.js';

export { payments as paymentsTable } from './table.js';

export const payments = defineModule({
  name: 'payments',
  permissions: paymentPermissions,
  tags: { Payments: 'The business resource that shows a write that takes effect exactly once.' },
  operations: paymentOperations,
  routes: paymentRoutes,
});
