import { Readable } from 'node:stream';
import { servingHeaders } from '@sallyport/upload-policy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseRange } from './byte-range.js';
import { allowsRange, entityTagOf, isKnownTo } from './entity-tag.js';
import { RangeNotSatisfiableError } from './errors.js';
import type { ByteRange } from './file-disk.js';
import type { FileRecord } from './file-records.js';
import type { StoredFiles } from './stored-files.js';

/**
 * Sends the content of a file, or the part that the client asks for, or only that it is unchanged (RFC 9110, 13 and 14).
 * With it go the headers under which no browser runs it (UPL-7).
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Pick<StoredFiles, 'read'>,
  file: FileRecord,
  disposition: 'inline' | 'attachment',
): Promise<FastifyReply> {
  const tag = entityTagOf(file);
  const { 'if-none-match': ifNoneMatch, 'if-range': ifRange, range } = request.headers;
  const isHead = request.method === 'HEAD';
  if (isKnownTo(ifNoneMatch, tag))
    return reply
      .code(304)
      .header('etag', tag)
      .send(isHead ? nothing() : undefined);

  // Ranges are for GET alone (RFC 9110, 14.2).
  const isPartial = !isHead && allowsRange(singleValue(ifRange), tag);
  const choice = chooseRange(isPartial ? range : undefined, file.size);
  if (choice.kind === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw new RangeNotSatisfiableError();
  }
  const part: ByteRange = choice.kind === 'part' ? choice : { first: 0, last: file.size - 1 };
  const content = isHead ? nothing() : await files.read(file, part);
  if (choice.kind === 'part') {
    reply.code(206).header('content-range', `bytes ${part.first}-${part.last}/${file.size}`);
  }
  return reply
    .headers({
      ...servingHeaders({ fileName: file.displayName, mediaType: file.mediaType, disposition }),
      'content-length': part.last - part.first + 1,
      'accept-ranges': 'bytes',
      etag: tag,
    })
    .send(content);
}

/** No body, for Fastify's routes for HEAD: they would take `undefined` for a body of length 0. */
function nothing(): Readable {
  return Readable.from([]);
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
