import { defineModule } from '../../http/module.js';
import { parameterOperations } from './docs.js';
import { parameterPermissions } from './permissions.js';
import { systemParameterRoutes } from './routes.js';

export { dynamicParameters } from './dynamic-parameters.js';

export const parameters = defineModule({
  name: 'parameters',
  permissions: parameterPermissions,
  tags: { 'System parameters': 'Policies that change while the server runs.' },
  operations: parameterOperations,
  routes: systemParameterRoutes,
});
