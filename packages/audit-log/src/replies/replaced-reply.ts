import { Readable } from 'node:stream';
import { isResponse } from '@sallyport/plugin-kit/routes';
import type { FastifyReply } from 'fastify';

/** Headers that describe the replaced content, or grant access with it. */
const CONTENT_HEADERS = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'set-cookie',
  'trailer',
  'transfer-encoding',
  'www-authenticate',
];

/** Removes the headers of the replaced content. */
export function clearReply(reply: FastifyReply): void {
  for (const name of CONTENT_HEADERS) reply.removeHeader(name);
}

/** The status that the reply will have. A fetch `Response` has its own. */
export function statusOf(reply: FastifyReply, payload: unknown): number {
  return isResponse(payload) ? payload.status : reply.statusCode;
}

/** Destroys a stream that will not be read. */
export function discardPayload(payload: unknown): void {
  const stream = isResponse(payload) ? payload.body : payload;
  if (stream instanceof Readable) {
    // An error of the destroyed stream has no other listener.
    stream.on('error', () => undefined).destroy();
  } else if (stream instanceof ReadableStream && !stream.locked) {
    stream.cancel().catch(() => undefined);
  }
}
