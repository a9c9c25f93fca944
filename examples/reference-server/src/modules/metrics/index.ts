import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { metricsOperations } from './docs.js';
import type { MetricsDependencies } from './metrics.js';
import { metricsRoute } from './routes.js';

export { metricsRegistry } from './metrics.js';

const permissions = definePermissions({
  title: { en: 'Metrics', 'zh-CN': '指标' },
  permissions: {
    'api:admin:metrics:read': { en: 'Read the metrics', 'zh-CN': '读取指标' },
  },
});

export const metrics = defineModule({
  name: 'metrics',
  permissions,
  async prepare(app, { notifications }: MetricsDependencies) {
    app.metrics.observe(app, () => notifications.queue.counts());
  },
  operations: metricsOperations,
  routes: metricsRoute,
});
