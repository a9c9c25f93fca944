import { defineModule } from '../../http/module.js';
import { registerComponents } from './components.js';
import { healthOperations } from './docs.js';
import { healthPermissions } from './permissions.js';
import { healthRoutes } from './routes.js';

export type { Pings } from './components.js';
export { healthRegistry } from './health-registry.js';

export const health = defineModule({
  name: 'health',
  permissions: healthPermissions,
  prepare: registerComponents,
  tags: { Operations: 'Health and metrics.' },
  operations: healthOperations,
  routes: healthRoutes,
});
