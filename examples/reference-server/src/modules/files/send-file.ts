import { Readable } from 'node:stream';
import { servingHeaders } from '@sallyport/upload-policy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PreconditionFailedError, RangeNotSatisfiableError } from './errors.js';
import type { ByteRange } from './file-disk.js';
import type { FileRecord } from './file-records.js';
import type { StoredFiles } from './stored-files.js';

/**
 * Sends a file: the whole content, the requested part, or 304 if it is unchanged. The order of the conditions is that
 * of RFC 9110, 13.2.2: `If-Match`, `If-None-Match`, `If-Range`. The headers keep browsers from executing the file
 * (UPL-7).
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Pick<StoredFiles, 'read'>,
  file: FileRecord,
  disposition: 'inline' | 'attachment',
): Promise<FastifyReply> {
  const tag = entityTagOf(file);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-range': ifRange, range } = request.headers;
  const isHead = request.method === 'HEAD';
  if (!matches(ifMatch, tag)) {
    reply.header('etag', tag);
    throw new PreconditionFailedError();
  }
  if (isKnownTo(ifNoneMatch, tag))
    return reply
      .code(304)
      .header('etag', tag)
      .send(isHead ? nothing() : undefined);

  // Ranges apply to GET only (RFC 9110, 14.2).
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

/** An empty stream for HEAD: Fastify would take `undefined` for a body of length 0. */
function nothing(): Readable {
  return Readable.from([]);
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/**
 * A strong entity tag (RFC 9110, 8.8.3). It depends on the content only, so two files with one content have the same
 * tag.
 */
function entityTagOf({ sha256 }: { readonly sha256: string }): string {
  return `"${sha256}"`;
}

/** Whether `If-Match` allows this content. The comparison is strong: a weak tag never matches (RFC 9110, 13.1.1). */
function matches(ifMatch: string | undefined, tag: string): boolean {
  return ifMatch === undefined || ifMatch.trim() === '*' || entriesOf(ifMatch).includes(tag);
}

function entriesOf(header: string): string[] {
  return header.split(',').map((entry) => entry.trim());
}

/** Whether `If-None-Match` contains the tag or `*`, so that the client already has the content (RFC 9110, 13.1.2). */
function isKnownTo(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const entries = entriesOf(ifNoneMatch).map((entry) => entry.replace(/^W\//, ''));
  return ifNoneMatch.trim() === '*' || entries.includes(tag);
}

/**
 * Whether `If-Range` allows a partial answer (RFC 9110, 13.1.5). The comparison is strong. A date never matches,
 * because the server sends no `Last-Modified`.
 */
function allowsRange(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange === tag;
}

/** The part of a content to send. */
type RangeChoice =
  | { readonly kind: 'whole' }
  | ({ readonly kind: 'part' } & ByteRange)
  | { readonly kind: 'unsatisfiable' };

const WHOLE: RangeChoice = { kind: 'whole' };
const UNSATISFIABLE: RangeChoice = { kind: 'unsatisfiable' };

/** A single byte range. The server may ignore multiple ranges, other units and malformed headers (RFC 9110, 14.2). */
const SINGLE_RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i;

/**
 * Parses the header `Range` (RFC 9110, 14.1.2).
 *
 * @param size of the content, in bytes; at least 1
 */
function chooseRange(header: string | undefined, size: number): RangeChoice {
  const [, from = '', to = ''] = SINGLE_RANGE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return WHOLE;
  if (from === '') {
    const length = Number(to);
    return length === 0 ? UNSATISFIABLE : { kind: 'part', first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return WHOLE;
  return first >= size ? UNSATISFIABLE : { kind: 'part', first, last };
}
