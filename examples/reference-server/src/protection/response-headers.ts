import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import helmet, { type HelmetOptions } from 'helmet';

export interface ResponseHeadersOptions {
  readonly helmet: Readonly<HelmetOptions>;
}

/**
 * Headers of every response, including errors and unknown paths: the request id (HTTP-3), `no-store`, and the security
 * headers of Helmet. A handler may override them.
 */
async function responseHeadersPlugin(app: FastifyInstance, options: ResponseHeadersOptions): Promise<void> {
  const constant = { ...headersOfHelmet(options.helmet), 'cache-control': 'no-store' };
  app.addHook('onRequest', function setResponseHeaders(request, reply, done) {
    reply.headers(constant).header('x-request-id', request.id);
    done();
  });
}

/**
 * Runs Helmet once. It does not depend on the request, and running it for each response costs more than the token
 * check.
 */
function headersOfHelmet(options: Readonly<HelmetOptions>): Record<string, string> {
  const headers: Record<string, string> = {};
  const response: Pick<ServerResponse, 'setHeader' | 'removeHeader'> = {
    setHeader(name, value) {
      headers[name.toLowerCase()] = String(value);
      return response as ServerResponse;
    },
    removeHeader: () => {},
  };
  helmet(options)({} as IncomingMessage, response as ServerResponse, function refuseFault(error) {
    if (error !== undefined) throw error;
  });
  return headers;
}

export const responseHeaders = fp(responseHeadersPlugin, { fastify: '5.x', name: 'response-headers' });
