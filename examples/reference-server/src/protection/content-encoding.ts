import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ContentEncodingUnsupportedError } from './errors.js';

/**
 * Refuses a body with a `Content-Encoding` (HTTP-7): the server does not decompress, so a parser or an upload check
 * would read other bytes than the client meant. The same applies to a transfer coding in addition to `chunked`, such as
 * `Transfer-Encoding: gzip, chunked`, whose body Node.js passes on compressed. RFC 9112, 6.1 suggests 501 for it. The
 * answer here is also 415, because the remedy is the same: send the body uncompressed.
 *
 * Register it after the encryption policy, which hides the body of an envelope, because such a request is malformed by
 * the protocol's own rule.
 */
async function contentEncodingPlugin(app: FastifyInstance): Promise<void> {
  app.addHook('preParsing', function refuseContentEncoding(request: FastifyRequest, reply, payload, done) {
    const { headers } = request.raw;
    const isEncoded = headers['content-encoding'] !== undefined && hasBody(headers);
    if (!isEncoded && isPlainTransfer(headers['transfer-encoding'])) return done(null, payload);
    // RFC 9110, 15.5.16 and 12.5.3. The rest of the body has not arrived yet.
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
