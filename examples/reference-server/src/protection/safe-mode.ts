import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { SafeModeError } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How safe mode treats the route (OPS-4). Default: only GET, HEAD and OPTIONS are served. `served`: for sign-in,
     * sign-out and reading routes with a writing method. `refused`: for a GET that changes something.
     */
    safeMode?: 'served' | 'refused';
  }
}

/** Safe methods (RFC 9110, 9.2.1). */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Safe mode, for demonstrations: refuses every write except sign-in and sign-out (OPS-4). It decides by the route's
 * `config` and method, so that no spelling of an address bypasses it.
 *
 * It runs after authentication, authorization and the rate limit, so that it reveals nothing more and limits still
 * count. It runs before the body is read or decrypted, and before the idempotency key is recorded.
 */
async function safeModePlugin(app: FastifyInstance): Promise<void> {
  // Otherwise a body would be decrypted, and its nonce used up, for a request that is refused.
  if (app.hasDecorator('envelopeCrypto')) throw new Error('safe-mode: register it before @sallyport/envelope-crypto');
  app.addHook('preParsing', async function refuseWrites(request: FastifyRequest) {
    // An unknown path writes nothing. The answer stays 404.
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
