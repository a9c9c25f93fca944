import { displayName, UNKNOWN_MEDIA_TYPE } from './files/index.js';

/** What a browser shows without running anything of it. */
const SHOWN_INLINE: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*(?:; charset=[a-z0-9_-]+)?$/;

/** Characters of a `filename` that every client reads alike: RFC 6266, appendix D. */
const NOT_PLAIN = /[^\w.()[\] -]/g;

/** Percent-encoded beside what `encodeURIComponent` does: RFC 8187, section 3.2.1. */
const NOT_ATTR_CHAR = /['()*]/g;

/** A file on its way to a client. */
export interface ServedFile {
  readonly fileName: string;
  /** The one of the verdict. */
  readonly mediaType: string;
  /** `inline` for a preview; it holds for JPEG, PNG, GIF and WebP, all else is an attachment. Default `attachment`. */
  readonly disposition?: 'inline' | 'attachment';
}

/** Headers with which a stored file can't run in a browser. Requirement UPL-7. */
export interface ServingHeaders {
  readonly 'content-type': string;
  readonly 'content-disposition': string;
  readonly 'content-security-policy': string;
  readonly 'x-content-type-options': 'nosniff';
}

/** The headers of every response that has a stored file in it, previews too. Requirement UPL-7. */
export function servingHeaders({ fileName, mediaType, disposition = 'attachment' }: ServedFile): ServingHeaders {
  const isInline = disposition === 'inline' && SHOWN_INLINE.has(mediaType);
  return {
    'content-type': MEDIA_TYPE.test(mediaType) ? mediaType : UNKNOWN_MEDIA_TYPE,
    'content-disposition': contentDisposition(isInline ? 'inline' : 'attachment', fileName),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
}

/** `Content-Disposition` for any name: RFC 6266, with `filename*` where ASCII doesn't do. Requirement UPL-7. */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const name = displayName(fileName);
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(NOT_PLAIN, '_');
  const parameter = `filename="${plain}"`;
  if (plain === name) return `${type}; ${parameter}`;
  const encoded = encodeURIComponent(name).replaceAll(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; ${parameter}; filename*=UTF-8''${encoded}`;
}
