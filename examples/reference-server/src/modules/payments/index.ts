import { defineModule } from '../../http/module.js';
import { paymentOperations } from './docs.js';
import { paymentRoutes } from './routes.js';

export const payments = defineModule({
  name: 'payments',
  permissions: ['api:admin:payments:list', 'api:admin:payments:create', 'api:admin:payments:read'],
  tags: { Payments: 'The business resource that shows a write that takes effect exactly once.' },
  operations: paymentOperations,
  routes: paymentRoutes,
});
