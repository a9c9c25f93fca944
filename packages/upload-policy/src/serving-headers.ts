import { displayName, UNKNOWN_MEDIA_TYPE } from './files/index.js';

/** Types that a browser shows without running any of their contents. */
const SHOWN_INLINE: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*(?:; charset=[a-z0-9_-]+)?$/;

/** Characters of a `filename` that clients read differently: RFC 6266, appendix D. */
const NOT_PLAIN = /[^\w.()[\] -]/g;

/** Percent-encoded in addition to what `encodeURIComponent` encodes: RFC 8187, section 3.2.1. */
const NOT_ATTR_CHAR = /['()*]/g;

/** A stored file to serve. */
export interface ServedFile {
  readonly fileName: string;
  /** The media type of the verdict. */
  readonly mediaType: string;
  /** `inline` for a preview of JPEG, PNG, GIF or WebP; other types stay attachments. Default `attachment`. */
  readonly disposition?: 'inline' | 'attachment';
}

/** Headers that keep a stored file from running in a browser, for `reply.headers(…)`. */
// A type, not an interface, because an interface has no implicit index signature, which `reply.headers` requires
// (ADP-7).
export type ServingHeaders = {
  readonly 'content-type': string;
  readonly 'content-disposition': string;
  readonly 'content-security-policy': string;
  readonly 'x-content-type-options': 'nosniff';
};

/**
 * The headers of every response with a stored file, previews included.
 *
 * @example
 * ```ts
 * app.get<{ Params: { id: string } }>('/files/:id', async ({ params: { id } }, reply) => {
 *   const file = files.get(id);
 *   if (file === undefined) return reply.callNotFound();
 *   return reply.headers({ ...servingHeaders(file) }).send(createReadStream(join(folder, id)));
 * });
 * ```
 */
export function servingHeaders({ fileName, mediaType, disposition = 'attachment' }: ServedFile): ServingHeaders {
  const isInline = disposition === 'inline' && SHOWN_INLINE.has(mediaType);
  return {
    'content-type': MEDIA_TYPE.test(mediaType) ? mediaType : UNKNOWN_MEDIA_TYPE,
    'content-disposition': contentDisposition(isInline ? 'inline' : 'attachment', fileName),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
}

/** `Content-Disposition` for any name: RFC 6266, with `filename*` for names beyond ASCII. */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const name = displayName(fileName);
  // A name that consists only of marks would become empty.
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(NOT_PLAIN, '_') || '_';
  const parameter = `filename="${plain}"`;
  if (plain === name) return `${type}; ${parameter}`;
  const encoded = encodeURIComponent(name).replaceAll(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; ${parameter}; filename*=UTF-8''${encoded}`;
}
