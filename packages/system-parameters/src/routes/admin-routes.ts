import { callback, group, readOptions } from '@sallyport/plugin-kit/options';
import { ownCompilers } from '@sallyport/plugin-kit/routes';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { ParameterView } from '../engine/index.js';
import { SystemParametersSetupError } from '../errors.js';
import { routeConfigRule, routePathRule } from './route-options.js';
import { changeSchema, listSchema, readSchema } from './route-schemas.js';

export interface AdminParameterRoutesOptions {
  /** The path of the routes. Default `/admin/system-parameters`. */
  readonly path?: string;
  /**
   * The `config` of each route, such as its access. Default: access `admin` and the route's code of
   * `SYSTEM_PARAMETER_PERMISSIONS`, as @sallyport/auth-tokens reads them.
   */
  readonly routeConfig?: {
    readonly list?: FastifyContextConfig;
    readonly read?: FastifyContextConfig;
    readonly change?: FastifyContextConfig;
  };
  /**
   * The name of the author of a change, for the table and the audit log. An empty name refuses the change. Default:
   * `request.principal.subject`, which @sallyport/auth-tokens provides. Required without that plugin. The routes then
   * need a guard of the application.
   */
  readonly changedBy?: (request: FastifyRequest) => string;
}

/** The permission codes of the routes, for the declarations of @sallyport/auth-tokens. */
export const SYSTEM_PARAMETER_PERMISSIONS = {
  list: 'api:admin:systemParameters:list',
  read: 'api:admin:systemParameters:read',
  change: 'api:admin:systemParameters:change',
} as const;

export const ADMIN_PARAMETER_ROUTES_DEFAULTS = {
  path: '/admin/system-parameters',
  routeConfig: {
    list: { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.list },
    read: { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.read },
    change: { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.change },
  },
  changedBy: principalSubject,
} as const;

interface CheckedOptions {
  readonly path: string;
  readonly routeConfig: Readonly<Record<'list' | 'read' | 'change', FastifyContextConfig>>;
  readonly changedBy: (request: FastifyRequest) => string;
}

const rules = {
  path: routePathRule(ADMIN_PARAMETER_ROUTES_DEFAULTS.path),
  routeConfig: group<CheckedOptions['routeConfig']>({
    list: routeConfigRule(ADMIN_PARAMETER_ROUTES_DEFAULTS.routeConfig.list),
    read: routeConfigRule(ADMIN_PARAMETER_ROUTES_DEFAULTS.routeConfig.read),
    change: routeConfigRule(ADMIN_PARAMETER_ROUTES_DEFAULTS.routeConfig.change),
  }),
  changedBy: callback<CheckedOptions['changedBy']>({
    that: 'takes a request and returns a name',
    default: ADMIN_PARAMETER_ROUTES_DEFAULTS.changedBy,
  }),
};

/**
 * List, read and change. Register it after the plugin, and after the plugin that guards the routes.
 *
 * @example
 * ```ts
 * export default async function adminRoutes(app: FastifyInstance) {
 *   app.addHook('onRequest', (request) => request.jwtVerify());
 *   await app.register(adminParameterRoutes, {
 *     path: '/admin/settings',
 *     changedBy: ({ user }) => (user as { sub: string }).sub,
 *   });
 * }
 * ```
 */
export async function adminParameterRoutes(
  fastify: FastifyInstance,
  given: AdminParameterRoutesOptions,
): Promise<void> {
  const { path, routeConfig, changedBy } = readOptions<CheckedOptions>(
    { subject: 'adminParameterRoutes', SetupError: SystemParametersSetupError, isPlugin: true },
    given,
    rules,
    (options) => guardFaults(fastify, options),
  );

  fastify.get<{ Querystring: { page: number; size: number } }>(
    path,
    { ...ownCompilers, schema: listSchema, config: routeConfig.list },
    async function listParameters({ query: { page, size } }) {
      const all = await fastify.systemParameters.list();
      const data = all.slice((page - 1) * size, page * size).map(onTheWire);
      return { data, page: { number: page, size, total: all.length } };
    },
  );

  fastify.get<{ Params: { key: string } }>(
    `${path}/:key`,
    { ...ownCompilers, schema: readSchema, config: routeConfig.read },
    async function readParameter({ params: { key } }) {
      return { data: onTheWire(await fastify.systemParameters.find(key)) };
    },
  );

  fastify.put<{ Params: { key: string }; Body: { value: unknown; version: unknown; confirm?: unknown } }>(
    `${path}/:key`,
    { ...ownCompilers, schema: changeSchema, config: routeConfig.change },
    async function changeParameter(request) {
      const { value, version, confirm } = request.body;
      const { key } = request.params;
      const change = { key, value, version, confirm, changedBy: changedBy(request), request };
      return { data: onTheWire(await fastify.systemParameters.change(change)) };
    },
  );
}

function onTheWire({ updatedAt, ...parameter }: ParameterView) {
  return { ...parameter, updatedAt: updatedAt?.getTime() ?? null };
}

/** Without a principal and without `changedBy` of the application, the routes would be open to all. */
function guardFaults(fastify: FastifyInstance, { changedBy }: Partial<CheckedOptions>): readonly string[] {
  if (changedBy !== ADMIN_PARAMETER_ROUTES_DEFAULTS.changedBy || fastify.hasRequestDecorator('principal')) return [];
  return [
    'changedBy is required where nothing decorates request.principal: ' +
      'register @sallyport/auth-tokens before these routes, or guard them yourself and give changedBy',
  ];
}

function principalSubject(request: FastifyRequest): string {
  const { principal } = request as { readonly principal?: { readonly subject: string } | null };
  return principal?.subject ?? '';
}
