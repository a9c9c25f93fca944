import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeTooLargeError } from '../errors.js';
import { readText } from './request-text.js';

/** Whether a body follows the head. */
export function hasBody(raw: FastifyRequest['raw']): boolean {
  const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = raw.headers;
  if (transferEncoding !== undefined || Number(contentLength ?? 0) > 0) return true;
  // A body of HTTP/2 needs neither header.
  return raw.httpVersionMajor >= 2 && 'stream' in raw && Reflect.get(Object(raw.stream), 'endAfterHeaders') === false;
}

/** The bytes of the body, up to the limit. */
export async function readBody(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  maxBytes: number,
): Promise<Uint8Array> {
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new EnvelopeTooLargeError();
    return await readText(payload, maxBytes);
  } catch (refusal) {
    // The rest of the body has not arrived yet.
    if (request.raw.httpVersionMajor < 2) reply.header('connection', 'close');
    throw refusal;
  }
}

/** Makes Fastify and every plugin see a request without a body. */
export function hideBody({ method, raw }: FastifyRequest): Readable {
  delete raw.headers['content-length'];
  delete raw.headers['transfer-encoding'];
  // Fastify requires a content type of QUERY requests (RFC 10008, section 2), so the body becomes minimal JSON.
  if (method === 'QUERY') return Readable.from([Buffer.from('null')]);
  delete raw.headers['content-type'];
  // `Readable.from([])` would use an iterator and promises without need.
  return new Readable({ read: endAtOnce });
}

function endAtOnce(this: Readable): void {
  this.push(null);
}
