import { readOptions } from '@sallyport/plugin-kit/options';
import { ownCompilers } from '@sallyport/plugin-kit/routes';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { SystemParametersSetupError } from '../errors.js';
import { routeConfigRule, routePathRule } from './route-options.js';
import { publicSchema } from './route-schemas.js';

export interface PublicParametersRouteOptions {
  /** The path of the route. Default `/public/system-parameters`. */
  readonly path?: string;
  /** The `config` of the route. Default: access `public`, as @sallyport/auth-tokens reads it. */
  readonly routeConfig?: FastifyContextConfig;
}

export const PUBLIC_PARAMETERS_ROUTE_DEFAULTS = {
  path: '/public/system-parameters',
  routeConfig: { access: 'public' },
} as const;

const rules = {
  path: routePathRule(PUBLIC_PARAMETERS_ROUTE_DEFAULTS.path),
  routeConfig: routeConfigRule(PUBLIC_PARAMETERS_ROUTE_DEFAULTS.routeConfig),
};

/**
 * A route for the public values, by key. Register it after the plugin.
 *
 * @example
 * ```ts
 * const app = Fastify({ logger: true });
 * await app.register(systemParameters, { tables: [{ definitions: shop }], source: parameters.createMemorySource() });
 * await app.register(parameters.publicParametersRoute);
 * ```
 */
export async function publicParametersRoute(
  fastify: FastifyInstance,
  given: PublicParametersRouteOptions,
): Promise<void> {
  const { path, routeConfig: config } = readOptions<Required<PublicParametersRouteOptions>>(
    { subject: 'publicParametersRoute', SetupError: SystemParametersSetupError, isPlugin: true },
    given,
    rules,
  );
  fastify.get(path, { ...ownCompilers, schema: publicSchema, config }, async function readPublicParameters() {
    return { data: await fastify.systemParameters.publicValues() };
  });
}
