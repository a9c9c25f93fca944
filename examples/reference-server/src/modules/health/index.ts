import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { registerComponents } from './components.js';
import { healthOperations } from './docs.js';
import { healthRoutes } from './routes.js';

export type { Pings } from './components.js';
export { healthRegistry } from './health-registry.js';

const permissions = definePermissions({
  title: { en: 'Health', 'zh-CN': '健康状态' },
  permissions: {
    'api:admin:health:read': { en: 'See the state of each component', 'zh-CN': '查看各组件的状态' },
  },
});

export const health = defineModule({
  name: 'health',
  permissions,
  prepare: registerComponents,
  tags: { Operations: 'Health and metrics.' },
  operations: healthOperations,
  routes: healthRoutes,
});
