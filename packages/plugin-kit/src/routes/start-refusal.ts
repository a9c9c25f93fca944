import type { FastifyInstance } from 'fastify';
import { rootOf } from './plugin-scope.js';

/** The reason why an application must not serve. */
interface StartRefusal {
  reason: Error | null;
}

/** Keyed by the root instance. */
const refusals = new WeakMap<FastifyInstance, StartRefusal>();

/**
 * Fastify serves an application whose start failed if it is called again, as adapters for serverless functions do.
 * Therefore a refused application refuses its requests as well.
 */
export function guardStart(fastify: FastifyInstance): StartRefusal {
  const root = rootOf(fastify);
  const known = refusals.get(root);
  if (known !== undefined) return known;
  const refusal: StartRefusal = { reason: null };
  refusals.set(root, refusal);
  root.addHook('onReady', async function refuseStart() {
    if (refusal.reason !== null) throw refusal.reason;
  });
  root.addHook('onRequest', function refuseWithoutStart(_request, _reply, done) {
    if (refusal.reason === null) done();
    else done(refusal.reason);
  });
  return refusal;
}

/**
 * Makes the error of a plugin stop the start, even if a callback of `after` takes the error. Otherwise, routes that
 * declare its protection would be served without it.
 */
export function stopsStart<Options>(
  plugin: (fastify: FastifyInstance, options: Options) => Promise<void>,
): (fastify: FastifyInstance, options: Options) => Promise<void> {
  return async function guarded(fastify, options) {
    try {
      await plugin(fastify, options);
    } catch (error) {
      guardStart(fastify).reason ??= error instanceof Error ? error : new Error(String(error));
      // Fastify adds a hook after it has loaded everything that was registered before, and drops the hooks that wait in
      // a plugin that failed.
      await fastify.after();
      throw error;
    }
  };
}
