import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { SafeModeError } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What safe mode does with the route (OPS-4). Default: it refuses every method but GET, HEAD and OPTIONS.
     * `served`: a sign-in or sign-out, or a route that reads under the method of a write. `refused`: a GET that changes
     * something.
     */
    safeMode?: 'served' | 'refused';
  }
}

/** Methods that promise to change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Safe mode, for demonstrations: every write but sign-in and sign-out is refused (OPS-4). It goes by what the route is,
 * so that no spelling of an address gets around it, and a route that says nothing is refused by its method.
 *
 * It stands behind authentication, authorization and the rate limit, so that nobody learns more than without it and
 * limits go on counting; and before a byte of the body is read or decrypted, and before the record of an idempotency
 * key.
 */
async function safeModePlugin(app: FastifyInstance): Promise<void> {
  // A body would be decrypted, and its nonce used up, for a request that is refused.
  if (app.hasDecorator('envelopeCrypto')) throw new Error('safe-mode: register it before @sallyport/envelope-crypto');
  app.addHook('preParsing', async function refuseWrites(request: FastifyRequest) {
    // Nobody's write: the answer stays 404.
    if (request.is404) return;
    const { config, method } = request.routeOptions;
    const isRefused =
      config.safeMode === undefined
        ? ![method].flat().every((each) => SAFE_METHODS.includes(`${each}`))
        : config.safeMode === 'refused';
    if (isRefused) throw new SafeModeError();
  });
}

export const safeMode = fp(safeModePlugin, {
  fastify: '5.x',
  name: 'safe-mode',
  decorators: { request: ['principal'] },
  dependencies: ['rate-limits'],
});
