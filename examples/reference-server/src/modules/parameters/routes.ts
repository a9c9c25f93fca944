import { adminParameterRoutes, publicParametersRoute } from '@sallyport/system-parameters';
import { exactlyOnce } from '../../http/exactly-once.js';
import type { App } from '../../http/module.js';

const read = { access: 'admin', permission: 'api:admin:system-parameters:read', audit: 'system-parameter' } as const;
const write = {
  access: 'admin',
  permission: 'api:admin:system-parameters:write',
  // `onChange` records each change in its transaction (dynamic-parameters.ts).
  audit: { resource: 'system-parameter', changes: 'in-handler' },
  stepUp: true,
  ...exactlyOnce,
} as const;

/**
 * `GET /admin/system-parameters`, `GET` and `PUT /admin/system-parameters/:key` (SYS-5), `GET
 * /public/system-parameters` (SYS-4).
 */
export async function systemParameterRoutes(app: App): Promise<void> {
  await app.register(adminParameterRoutes, { routeConfig: { list: read, read, change: write } });
  await app.register(publicParametersRoute, { routeConfig: { access: 'public', audit: false } });
}
