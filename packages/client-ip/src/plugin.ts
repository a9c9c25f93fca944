import { requireFreeNames, requireScope } from '@sallyport/route-coverage';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type ClientIp, openClientIp } from './client-ip.js';
import { type ClientIpPluginOptions, ClientIpSetupError, readPluginOptions } from './options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The client's address as canonical text (IP-1). Set by the onRequest hook `resolveClientIp`; empty before it, so
     * register this plugin first.
     */
    clientIp: string;
  }
  interface FastifyInstance {
    /** The engine behind `request.clientIp`, for `genReqId`, which runs before hooks, and `frameworkErrors`. */
    readonly clientIp: ClientIp;
  }
}

async function clientIpPlugin(fastify: FastifyInstance, given: ClientIpPluginOptions): Promise<void> {
  const { scope, ...options } = readPluginOptions(given);
  const place = { subject: 'client-ip', SetupError: ClientIpSetupError, scope };
  requireScope(fastify, place);
  requireFreeNames(fastify, place, { fastify: ['clientIp'], request: ['clientIp'] });
  const engine = openClientIp(options);
  fastify.decorate('clientIp', engine);
  fastify.decorateRequest('clientIp', '');

  // In the first hook: a closed connection has no peer address any more.
  fastify.addHook('onRequest', function resolveClientIp(request: FastifyRequest, _reply, done) {
    request.clientIp = engine.resolve(request.raw.socket.remoteAddress, request.raw.headers);
    done();
  });
}

/** Sets `request.clientIp`. A bad list of trusted proxies stops the start. */
export const clientIp = fp(clientIpPlugin, { fastify: '5.x', name: '@sallyport/client-ip' });
