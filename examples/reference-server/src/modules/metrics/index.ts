import { defineModule } from '../../http/module.js';
import { metricsOperations } from './docs.js';
import type { MetricsDependencies } from './metrics.js';
import { metricsPermissions } from './permissions.js';
import { metricsRoute } from './routes.js';

export { metricsRegistry } from './metrics.js';

export const metrics = defineModule({
  name: 'metrics',
  permissions: metricsPermissions,
  async prepare(app, { notifications }: MetricsDependencies) {
    app.metrics.observe(app, () => notifications.queue.counts());
  },
  operations: metricsOperations,
  routes: metricsRoute,
});
