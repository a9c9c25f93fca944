import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { HeadersTooManyError } from './errors.js';

/** The most header lines of a request. Browsers and proxies send about thirty. */
const MAX_HEADER_LINES = 100;

/**
 * Refuses requests with very many headers (SV-04). Node would keep the first 2000 lines and drop the rest without a
 * word, so that a second `Authorization` behind them would be overlooked.
 */
async function headerLimitPlugin(app: FastifyInstance): Promise<void> {
  app.server.maxHeadersCount = 0;
  app.addHook('onRequest', function limitHeaders(request, _reply, done) {
    if (request.raw.rawHeaders.length / 2 > MAX_HEADER_LINES) done(new HeadersTooManyError());
    else done();
  });
}

export const headerLimit = fp(headerLimitPlugin, { fastify: '5.x', name: 'header-limit' });
