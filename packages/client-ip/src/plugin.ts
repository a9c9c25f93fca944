import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type ClientIp, createClientIp } from './client-ip.js';
import type { ClientIpOptions } from './options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The client's address as canonical text, from the one routine (IP-1). Set by the onRequest hook `resolveClientIp`;
     * empty before it, so register this plugin first.
     */
    clientIp: string;
  }
  interface FastifyInstance {
    /** The engine behind `request.clientIp`, for what runs before any hook (`genReqId`) or without them (`frameworkErrors`). */
    readonly clientIp: ClientIp;
  }
}

async function clientIpPlugin(fastify: FastifyInstance, options: ClientIpOptions): Promise<void> {
  const engine = createClientIp(options);
  fastify.decorate('clientIp', engine);
  fastify.decorateRequest('clientIp', '');

  // At once, since a connection that is gone has no peer address any more.
  fastify.addHook('onRequest', function resolveClientIp(request: FastifyRequest, _reply, done) {
    request.clientIp = engine.resolve(request.raw.socket.remoteAddress, request.raw.headers);
    done();
  });
}

/** Sets `request.clientIp`. Refuses the start over a bad list of trusted proxies. */
export const clientIp = fp(clientIpPlugin, { fastify: '5.x', name: '@sallyport/client-ip' });
