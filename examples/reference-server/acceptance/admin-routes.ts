/** A route that needs a permission, and a request to it that changes nothing even if it is let through. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The registered path. */
  readonly route: string;
  /** All that it needs, for people. */
  readonly permission: string;
  /** The path to send, if it differs. */
  readonly path?: string;
  /**
   * A body that the route's schema refuses. Default: none for GET and DELETE, `{ acceptance: true }` for the others.
   */
  readonly bytes?: { readonly contentType: string; readonly text: string };
}

/** An id that no deployment has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

const route = (
  method: AdminRoute['method'],
  path: string,
  needed: string | readonly string[],
  more: Partial<AdminRoute> = {},
) => {
  const permission = [needed].flat().map((code) => `api:admin:${code}`);
  return { method, route: path, permission: permission.join(' and '), ...more } satisfies AdminRoute;
};

/**
 * Every route with a permission. `test/acceptance/acceptance-command.system.test.ts` compares the list with the server.
 */
export const adminRoutes: readonly AdminRoute[] = [
  route('GET', '/admin/administrators', 'administrators:list'),
  route('POST', '/admin/administrators', 'administrators:create'),
  route('GET', '/admin/administrators/:id', 'administrators:read'),
  route('PUT', '/admin/administrators/:id', 'administrators:update'),
  route('PUT', '/admin/administrators/:id/password', 'administrators:reset-password'),
  route('DELETE', '/admin/administrators/:id', 'administrators:delete'),
  route('DELETE', '/admin/administrators/:id/sessions', 'sessions:end'),
  route('DELETE', '/admin/administrators/:id/second-factors', 'second-factors:reset-administrators'),
  route('POST', '/admin/administrators/:id/second-factors/enrolment-code', 'second-factors:reset-administrators'),
  route('GET', '/admin/roles', 'roles:list'),
  route('POST', '/admin/roles', 'roles:create'),
  route('GET', '/admin/roles/:id', 'roles:read'),
  route('PUT', '/admin/roles/:id', 'roles:update'),
  route('DELETE', '/admin/roles/:id', 'roles:delete'),
  route('POST', '/admin/auth/clearLoginLimit', 'auth:clearLoginLimit'),
  route('GET', '/admin/login-policy/explain', 'login-policy:explain'),
  route('GET', '/admin/login-policy/locks', 'login-policy:explain'),
  route('GET', '/admin/activity', 'activity:read'),
  route('GET', '/admin/activity/stream', 'activity:read'),
  route('GET', '/admin/app-users', 'app-users:list'),
  route('GET', '/admin/app-users/:id', 'app-users:read'),
  route('PUT', '/admin/app-users/:id', 'app-users:update'),
  route('DELETE', '/admin/app-users/:id/sessions', ['sessions:end', 'app-users:update']),
  route('DELETE', '/admin/app-users/:id/second-factors', ['second-factors:reset-app-users', 'app-users:update']),
  route('POST', '/admin/app-users/:id/second-factors/enrolment-code', [
    'second-factors:reset-app-users',
    'app-users:update',
  ]),
  route('GET', '/admin/notifications', 'notifications:list'),
  route('GET', '/admin/payments', 'payments:list'),
  route('POST', '/admin/payments', 'payments:create'),
  route('GET', '/admin/payments/:id', 'payments:read'),
  route('GET', '/admin/system-parameters', 'system-parameters:read'),
  route('GET', '/admin/system-parameters/:key', 'system-parameters:read'),
  route('PUT', '/admin/system-parameters/:key', 'system-parameters:write'),
  route('GET', '/admin/audit-records', 'audit-records:list'),
  route('GET', '/admin/audit-records/actions', 'audit-records:list'),
  route('GET', '/admin/audit-records/export', 'audit-records:export', { path: '/admin/audit-records/export?format=x' }),
  route('POST', '/admin/audit-records/verify', 'audit-records:verify'),
  route('GET', '/admin/audit-records/verifications/:id', 'audit-records:verify'),
  route('POST', '/admin/storage/files', 'storage:upload', {
    bytes: { contentType: 'multipart/form-data; boundary=none', text: '--none--\r\n' },
  }),
  route('GET', '/admin/storage/files', 'storage:list'),
  route('GET', '/admin/storage/files/:id/content', 'storage:read'),
  route('DELETE', '/admin/storage/files/:id', 'storage:delete'),
  route('GET', '/actuator/metrics', 'metrics:read'),
  route('POST', '/admin/storage/simulate', 'storage:simulate', {
    bytes: { contentType: 'text/plain', text: 'acceptance' },
  }),
];

/** A path of the route with an unknown id. */
export function harmlessPath({ route, path }: AdminRoute): string {
  return path ?? route.replace(':id', NOBODY).replace(':key', 'acceptance.none');
}
