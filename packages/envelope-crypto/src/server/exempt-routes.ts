import { methodsOf } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance } from 'fastify';
import type { BypassRoute } from './bypass-routes.js';

/**
 * Lists the exempt routes as the bootstrap names them: `PATH`, or `PATH METHOD`, with `:name` for a variable segment.
 * Call it before the routes are registered. The returned function yields the routes that exist. Of routes that were
 * registered before the plugin, only those of `bypassRoutes` are known.
 */
export function collectExemptRoutes(
  fastify: FastifyInstance,
  bypassRoutes: readonly BypassRoute[],
): () => readonly string[] {
  const byConfig: { readonly path: string; readonly method: string }[] = [];
  let whenReady: readonly string[] | null = null;

  fastify.addHook('onRoute', function noteExemptRoute(route) {
    if (route.config?.bypassEnvelope !== true) return;
    for (const method of methodsOf(route)) byConfig.push({ path: templateOf(route.url), method });
  });

  function list(): readonly string[] {
    const named = bypassRoutes.filter(({ url, method }) =>
      (method === null ? fastify.supportedMethods : [method]).some((one) => fastify.hasRoute({ url, method: one })),
    );
    const whole = new Set(named.filter(({ method }) => method === null).map(({ url }) => url));
    const entries = named.map(({ url, method }) => (method === null ? url : `${url} ${method}`));
    const others = byConfig.filter(({ path }) => !whole.has(path)).map(({ path, method }) => `${path} ${method}`);
    return [...new Set([...entries, ...others])];
  }

  fastify.addHook('onReady', async function listExemptRoutes() {
    whenReady = list();
  });
  return () => whenReady ?? list();
}

/** A route's path without the patterns of its parameters. */
function templateOf(url: string): string {
  return url.replaceAll(/:(\w+)(?:\([^)]*\))?\??/g, ':$1');
}
