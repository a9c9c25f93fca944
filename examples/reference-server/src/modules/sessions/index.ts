import { defineModule } from '../../http/module.js';
import { sessionOperations } from './docs.js';
import { sessionParameterTable } from './parameters.js';
import { sessionRoutes } from './routes.js';

export { readLifetimes, sessionParameters } from './parameters.js';

export const sessions = defineModule({
  name: 'sessions',
  permissions: ['api:admin:sessions:list', 'api:admin:sessions:end'],
  parameters: [sessionParameterTable],
  tags: { Sessions: 'Sessions and single-use tickets.' },
  operations: sessionOperations,
  routes: sessionRoutes,
});
