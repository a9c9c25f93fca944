import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import helmet, { type HelmetOptions } from 'helmet';

export interface ResponseHeadersOptions {
  readonly helmet: Readonly<HelmetOptions>;
}

/**
 * What every response carries, errors and unknown paths included: its request's id (HTTP-3), that nobody may keep it,
 * and what tells browsers to do nothing with it. A handler may set any of them otherwise.
 */
async function responseHeadersPlugin(app: FastifyInstance, options: ResponseHeadersOptions): Promise<void> {
  const constant = { ...headersOfHelmet(options.helmet), 'cache-control': 'no-store' };
  app.addHook('onRequest', function setResponseHeaders(request, reply, done) {
    reply.headers(constant).header('x-request-id', request.id);
    done();
  });
}

/**
 * Helmet reads nothing of a request, so it is asked once: put together anew for each response, its headers cost more
 * than the token check.
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
