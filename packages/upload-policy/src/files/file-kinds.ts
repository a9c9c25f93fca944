import { supportedExtensions } from 'file-type';

/** The type of content that browsers neither show nor run. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';

/**
 * Files that a browser may run when it opens them: HTML, SVG, JavaScript, XML and formats that contain them. They may
 * be stored if they are listed, but are never previewed and are served as attachments of unknown type.
 */
export const ACTIVE_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['html', 'htm', 'xhtml', 'xht', 'shtml', 'shtm', 'mht', 'mhtml', 'hta', 'htc'],
  ...[
    'svg',
    'svgz',
    'xml',
    'xsl',
    'xslt',
    'xsd',
    'rdf',
    'rss',
    'atom',
    'mathml',
    'mml',
    'xul',
    'xaml',
    'wsdl',
    'plist',
  ],
  ...['js', 'mjs', 'cjs', 'jsx', 'ts', 'tsx', 'wasm', 'swf', 'vbs', 'vbe', 'wsf', 'css', 'manifest', 'appcache'],
]);

/** Active content that is not text. */
const ACTIVE_BINARIES: readonly string[] = ['swf', 'wasm', 'svgz'];

/** Files without a common signature. They are checked to be text. Requirement UPL-4. */
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['txt', 'text', 'csv', 'tsv', 'log', 'md', 'markdown', 'json', 'jsonl', 'ndjson', 'yaml', 'yml', 'toml', 'ini'],
  ...['conf', 'cfg', 'properties', 'env', 'sql', 'srt', 'vtt', 'ics', 'vcf', 'eml', 'tex', 'bib', 'po', 'pem', 'crt'],
  ...['sh', 'bat', 'cmd', 'ps1', 'py', 'rb', 'php', 'java', 'c', 'h', 'cpp', 'cs', 'go', 'rs', 'geojson', 'gpx', 'kml'],
  ...[...ACTIVE_EXTENSIONS].filter((extension) => !ACTIVE_BINARIES.includes(extension)),
]);

/** The checks that a file of an extension must pass. */
export interface FileKind {
  /** The headers that it may have, as `detectHeader` names them; null if no header is known for the extension. */
  readonly headers: readonly string[] | null;
  /** The type to serve it as, once it is verified. */
  readonly mediaType: string;
  /** The check of its contents. */
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
  // Every PNG reader accepts an animated PNG as a PNG.
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

/** Extensions that file-type names differently. */
const ALIASES: Readonly<Record<string, string>> = {
  tiff: 'tif',
  tgz: 'gz',
  mpeg: 'mpg',
  midi: 'mid',
  aiff: 'aif',
  heif: 'heic',
  oga: 'ogg',
};

/** @param extension lower case, without the dot */
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

/** @param extension lower case, without the dot */
export function isActiveContent(extension: string): boolean {
  return ACTIVE_EXTENSIONS.has(extension);
}

/** @param extension lower case, without the dot */
export function isTextExtension(extension: string): boolean {
  return TEXT_EXTENSIONS.has(extension);
}
