import { supportedExtensions } from 'file-type';
import { isActiveContent } from './active-content.js';
import { isTextExtension } from './text-extensions.js';

/** What browsers do nothing with. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';

/** What a file of an extension must be. */
export interface FileKind {
  /** The headers that it may have, as {@link detectHeader} names them; null if the extension has none that is known. */
  readonly headers: readonly string[] | null;
  /** What it is served as once that is verified. */
  readonly mediaType: string;
  /** What its contents are checked as. */
  readonly contents: 'opaque' | 'zip' | 'office' | 'compound' | 'text';
}

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument';

const opaque = (mediaType: string, ...headers: string[]): FileKind => ({ headers, mediaType, contents: 'opaque' });
const office = (name: string): FileKind => ({
  headers: ['zip'],
  mediaType: `${OFFICE_TYPE}.${name}`,
  contents: 'office',
});
const compound = (mediaType: string): FileKind => ({ headers: ['cfb'], mediaType, contents: 'compound' });

const KINDS: ReadonlyMap<string, FileKind> = new Map([
  ['jpg', opaque('image/jpeg', 'jpg')],
  ['jpeg', opaque('image/jpeg', 'jpg')],
  // A picture that moves is a PNG to every reader of PNG.
  ['png', opaque('image/png', 'png', 'apng')],
  ['gif', opaque('image/gif', 'gif')],
  ['webp', opaque('image/webp', 'webp')],
  ['pdf', opaque('application/pdf', 'pdf')],
  ['zip', { headers: ['zip'], mediaType: 'application/zip', contents: 'zip' }],
  ['docx', office('wordprocessingml.document')],
  ['xlsx', office('spreadsheetml.sheet')],
  ['pptx', office('presentationml.presentation')],
  ['doc', compound('application/msword')],
  ['xls', compound('application/vnd.ms-excel')],
  ['ppt', compound('application/vnd.ms-powerpoint')],
]);

/** Other extensions for what file-type calls by one. */
const ALIASES: Readonly<Record<string, string>> = {
  tiff: 'tif',
  tgz: 'gz',
  mpeg: 'mpg',
  midi: 'mid',
  aiff: 'aif',
  heif: 'heic',
  oga: 'ogg',
};

/** @param extension lower case, without the dot. */
export function fileKind(extension: string): FileKind {
  const kind = KINDS.get(extension);
  if (kind !== undefined) return kind;
  if (isTextExtension(extension)) return { headers: null, mediaType: textType(extension), contents: 'text' };
  const header = ALIASES[extension] ?? extension;
  const headers = supportedExtensions.has(header) ? [header] : null;
  return { headers, mediaType: UNKNOWN_MEDIA_TYPE, contents: 'opaque' };
}

function textType(extension: string): string {
  if (isActiveContent(extension)) return UNKNOWN_MEDIA_TYPE;
  return extension === 'csv' ? 'text/csv' : 'text/plain';
}
