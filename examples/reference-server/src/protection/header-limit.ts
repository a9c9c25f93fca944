import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { HeadersTooManyError } from './errors.js';

/** Maximum number of header lines. Browsers and proxies send about thirty. */
const MAX_HEADER_LINES = 100;

/**
 * Refuses requests with too many headers (SV-04). Node keeps the first 2000 lines and silently drops the rest, which
 * may contain a second `Authorization`.
 */
async function headerLimitPlugin(app: FastifyInstance): Promise<void> {
  app.server.maxHeadersCount = 0;
  app.addHook('onRequest', function limitHeaders(request, _reply, done) {
    if (request.raw.rawHeaders.length / 2 > MAX_HEADER_LINES) done(new HeadersTooManyError());
    else done();
  });
}

export const headerLimit = fp(headerLimitPlugin, { fastify: '5.x', name: 'header-limit' });
