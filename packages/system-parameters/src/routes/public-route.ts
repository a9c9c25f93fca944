import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { publicSchema } from './route-schemas.js';

export interface PublicParametersRouteOptions {
  /** Where the route lies. Default `/public/system-parameters`. */
  readonly path?: string;
  /** The `config` of the route. Default: access `public`, as @sallyport/auth-tokens reads it. */
  readonly routeConfig?: FastifyContextConfig;
}

export const PUBLIC_PARAMETERS_ROUTE_DEFAULTS = {
  path: '/public/system-parameters',
  routeConfig: { access: 'public' },
} as const;

/** The values that anybody may read, by key (SYS-4). Register it after the plugin. */
export async function publicParametersRoute(
  fastify: FastifyInstance,
  given: PublicParametersRouteOptions,
): Promise<void> {
  const { path, routeConfig } = { ...PUBLIC_PARAMETERS_ROUTE_DEFAULTS, ...given };
  const config: FastifyContextConfig = routeConfig;
  fastify.get(path, { schema: publicSchema, config }, async function readPublicParameters() {
    return { data: await fastify.systemParameters.publicValues() };
  });
}
