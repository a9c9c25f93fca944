import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { parameterOperations } from './docs.js';
import { systemParameterRoutes } from './routes.js';

export { dynamicParameters } from './dynamic-parameters.js';

const permissions = definePermissions({
  title: { en: 'System parameters', 'zh-CN': '系统参数' },
  permissions: {
    'api:admin:system-parameters:read': { en: 'Read system parameters', 'zh-CN': '查看系统参数' },
    'api:admin:system-parameters:write': { en: 'Change system parameters', 'zh-CN': '修改系统参数' },
  },
});

export const parameters = defineModule({
  name: 'parameters',
  permissions,
  tags: { 'System parameters': 'Policies that change while the server runs.' },
  operations: parameterOperations,
  routes: systemParameterRoutes,
});
