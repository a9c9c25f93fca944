import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ContentEncodingUnsupportedError } from './errors.js';

/**
 * Refuses a body with a `Content-Encoding` (HTTP-7): nothing here decompresses, and a parser or an upload check that
 * took the bytes as they are would judge something other than what the client meant. The same holds for a transfer
 * coding beside `chunked`, such as `Transfer-Encoding: gzip, chunked`, whose body Node passes on compressed. RFC 9112,
 * 6.1 suggests 501 there. It is 415 here as well, since the client has to do the same: send the body as it is.
 *
 * Register it after the encryption policy, which hides the body of an envelope: such a request is malformed by the
 * protocol's own rule.
 */
async function contentEncodingPlugin(app: FastifyInstance): Promise<void> {
  app.addHook('preParsing', function refuseContentEncoding(request: FastifyRequest, reply, payload, done) {
    const { headers } = request.raw;
    const isEncoded = headers['content-encoding'] !== undefined && hasBody(headers);
    if (!isEncoded && isPlainTransfer(headers['transfer-encoding'])) return done(null, payload);
    // RFC 9110, 15.5.16 and 12.5.3. The rest of the body is still on its way.
    reply.headers({ 'accept-encoding': 'identity', connection: 'close' });
    done(new ContentEncodingUnsupportedError());
  });
}

function isPlainTransfer(coding: string | undefined): boolean {
  return coding === undefined || coding.trim().toLowerCase() === 'chunked';
}

function hasBody(headers: FastifyRequest['raw']['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export const contentEncoding = fp(contentEncodingPlugin, {
  fastify: '5.x',
  name: 'content-encoding',
  dependencies: ['@sallyport/envelope-crypto'],
});
