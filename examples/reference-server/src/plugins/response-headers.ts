import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** What every response carries, errors and unknown paths included: its request's id (HTTP-3), and that nobody may keep it. */
async function responseHeadersPlugin(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', async function setResponseHeaders(request, reply) {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  });
}

export const responseHeaders = fp(responseHeadersPlugin, { fastify: '5.x', name: 'response-headers' });
