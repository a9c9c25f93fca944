import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { ParameterView } from '../engine/index.js';
import { SystemParametersSetupError } from '../errors.js';
import { changeSchema, listSchema, readSchema } from './route-schemas.js';

export interface AdminParameterRoutesOptions {
  /** Where the routes lie. Default `/admin/system-parameters`. */
  readonly path?: string;
  /** The `config` of each route, such as who may call it. Default: access `admin` and its code of `SYSTEM_PARAMETER_PERMISSIONS`, as @sallyport/auth-tokens reads them. Requirement SYS-5. */
  readonly routeConfig?: {
    readonly list?: FastifyContextConfig;
    readonly read?: FastifyContextConfig;
    readonly change?: FastifyContextConfig;
  };
  /** Who sent a change, for the table and the audit log; what yields no name refuses the change. Default: `request.principal.subject`, which @sallyport/auth-tokens provides. Without that plugin it is required: then the routes need a guard of yours. */
  readonly changedBy?: (request: FastifyRequest) => string;
}

/** The permission codes of the routes, to be declared to @sallyport/auth-tokens. */
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

/** List, read and change (SYS-5). Register it after the plugin, and after whatever guards it. */
export async function adminParameterRoutes(
  fastify: FastifyInstance,
  given: AdminParameterRoutesOptions,
): Promise<void> {
  const { path, changedBy } = { ...ADMIN_PARAMETER_ROUTES_DEFAULTS, ...given };
  const config: Record<'list' | 'read' | 'change', FastifyContextConfig> = {
    ...ADMIN_PARAMETER_ROUTES_DEFAULTS.routeConfig,
    ...given.routeConfig,
  };
  refuseUnguarded(fastify, given);

  fastify.get<{ Querystring: { page: number; size: number } }>(
    path,
    { schema: listSchema, config: config.list },
    async function listParameters({ query: { page, size } }) {
      const all = await fastify.systemParameters.list();
      const data = all.slice((page - 1) * size, page * size).map(onTheWire);
      return { data, page: { number: page, size, total: all.length } };
    },
  );

  fastify.get<{ Params: { key: string } }>(
    `${path}/:key`,
    { schema: readSchema, config: config.read },
    async function readParameter({ params: { key } }) {
      return { data: onTheWire(await fastify.systemParameters.find(key)) };
    },
  );

  fastify.put<{ Params: { key: string }; Body: { value: unknown; version: unknown; confirm?: unknown } }>(
    `${path}/:key`,
    { schema: changeSchema, config: config.change },
    async function changeParameter(request) {
      const { value, version, confirm } = request.body;
      const { key } = request.params;
      const change = { key, value, version, confirm, changedBy: changedBy(request), request };
      return { data: onTheWire(await fastify.systemParameters.change(change)) };
    },
  );
}

function onTheWire({ updatedAt, ...parameter }: ParameterView) {
  return { ...parameter, updatedAt: updatedAt?.toISOString() ?? null };
}

/** Without a word from somebody who knows who calls, the routes would be open to all. */
function refuseUnguarded(fastify: FastifyInstance, { changedBy }: AdminParameterRoutesOptions): void {
  if (changedBy !== undefined || fastify.hasRequestDecorator('principal')) return;
  throw new SystemParametersSetupError(
    'adminParameterRoutes: register @sallyport/auth-tokens before it, or guard the routes yourself and give changedBy',
  );
}

function principalSubject(request: FastifyRequest): string {
  const { principal } = request as { readonly principal?: { readonly subject: string } | null };
  return principal?.subject ?? '';
}
