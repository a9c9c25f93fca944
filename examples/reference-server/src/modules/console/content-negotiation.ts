import { type ConsoleFile, ENCODINGS, type Encoding } from './built-console.js';

/** One form of a file, with its own entity tag (RFC 9110, 8.8.3.3). */
export interface FileForm {
  readonly encoding: Encoding | null;
  readonly content: Buffer;
  readonly etag: string;
}

/** The smallest form that the client accepts. */
export function chooseForm({ content, digest, encoded }: ConsoleFile, acceptEncoding: string | undefined): FileForm {
  const accepted = acceptedEncodings(acceptEncoding);
  for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
    const form = encoded[encoding];
    if (form !== undefined && accepted.has(encoding)) {
      return { encoding, content: form, etag: `"${digest}-${encoding}"` };
    }
  }
  return { encoding: null, content, etag: `"${digest}"` };
}

/** The encodings in the header, except those with weight 0 (RFC 9110, 12.5.3). */
function acceptedEncodings(header = ''): ReadonlySet<string> {
  const items = header.toLowerCase().split(',');
  return new Set(
    items.filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item)).map((item) => item.replace(/;.*$/s, '').trim()),
  );
}

/** Whether the client already has this form (RFC 9110, 13.1.2). A proxy may have made the tag weak. */
export function hasForm(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
