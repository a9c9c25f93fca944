import { defineModule } from '../../http/module.js';
import { idempotencyKeyOperations } from './docs.js';
import { idempotencyKeyRoute } from './routes.js';

export const idempotencyKeys = defineModule({
  name: 'idempotency-keys',
  operations: idempotencyKeyOperations,
  routes: idempotencyKeyRoute,
});
