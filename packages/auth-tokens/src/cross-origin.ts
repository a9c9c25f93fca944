import type { FastifyInstance, FastifyRequest } from 'fastify';

const CORS_PLUGIN = '@fastify/cors';

/**
 * A hook sets the CORS headers. A hook that is registered later does not run for the requests that are refused here.
 */
export function warnOfLaterCors(fastify: FastifyInstance): void {
  if (fastify.hasPlugin(CORS_PLUGIN)) return;
  fastify.addHook('onReady', function checkCors(done) {
    if (fastify.hasPlugin(CORS_PLUGIN)) {
      fastify.log.warn(
        `${CORS_PLUGIN} is registered after auth-tokens: browsers of other origins can't read its refusals, which ` +
          `have no CORS headers. Register ${CORS_PLUGIN} first; with @fastify/autoload, give the plugin that registers ` +
          "auth-tokens dependencies: ['cors'], the name of the plugin that registers it",
      );
    }
    done();
  });
}

/** Whether this is a preflight, which a browser sends without a token before a request to another origin. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
