import { parseIp } from '@sallyport/plugin-kit/addresses';
import { requireFreeNames, requireScope } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type ClientIp, openClientIp } from './client-ip.js';
import { type ClientIpPluginOptions, ClientIpSetupError, readPluginOptions } from './options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The client's address as canonical text. Set by the onRequest hook `resolveClientIp`; empty before it, so register
     * this plugin first.
     */
    clientIp: string;
  }
  interface FastifyInstance {
    /** The engine behind `request.clientIp`, for `genReqId`, which runs before hooks, and `frameworkErrors`. */
    readonly clientIp: ClientIp;
  }
}

/**
 * Addresses that proxies have: RFC 1918 and RFC 4193 (unique local), and loopback, because many proxies run on the same
 * host.
 */
const PRIVATE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'loopback'];

function isPrivateAddress(text: string): boolean {
  return PRIVATE_RANGES.includes(parseIp(text)?.range() ?? '');
}

async function clientIpPlugin(fastify: FastifyInstance, given: ClientIpPluginOptions): Promise<void> {
  const { scope, ...options } = readPluginOptions(given);
  const place = { subject: 'client-ip', SetupError: ClientIpSetupError, scope };
  requireScope(fastify, place);
  requireFreeNames(fastify, place, { fastify: ['clientIp'], request: ['clientIp'] });
  const engine = openClientIp(options);
  fastify.decorate('clientIp', engine);
  fastify.decorateRequest('clientIp', '');

  let hasWarned = false;
  function warnOfUnknownProxy(peer: string | undefined): void {
    if (peer === undefined || engine.isTrustedProxy(peer) || !isPrivateAddress(peer)) return;
    hasWarned = true;
    fastify.log.warn(
      { peer: engine.resolve(peer, {}) },
      'client-ip: an X-Forwarded-For comes from a private address that is not in trustedProxies, and is ignored. If ' +
        'that is your proxy, list it: all its users have its address now',
    );
  }

  // Resolved in the first hook, because a closed connection no longer has a peer address.
  fastify.addHook('onRequest', function resolveClientIp(request: FastifyRequest, _reply, done) {
    const { socket, headers } = request.raw;
    request.clientIp = engine.resolve(socket.remoteAddress, headers);
    if (!hasWarned && headers['x-forwarded-for'] !== undefined) warnOfUnknownProxy(socket.remoteAddress);
    done();
  });
}

/**
 * Sets `request.clientIp`. A bad list of trusted proxies stops the start.
 *
 * @example
 * ```ts
 * const app = Fastify();
 * const hits = new Map<string, number>();
 *
 * await app.register(clientIp, { trustedProxies: ['127.0.0.1', '::1', '10.0.0.0/24'] });
 *
 * app.get('/', async (request) => {
 *   const key = counterKey(request.clientIp);
 *   hits.set(key, (hits.get(key) ?? 0) + 1);
 *   return { clientIp: request.clientIp, hits: hits.get(key) };
 * });
 * ```
 */
export const clientIp = fp(clientIpPlugin, { fastify: '5.x', name: '@sallyport/client-ip' });
