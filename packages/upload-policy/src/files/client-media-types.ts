import { isTextExtension } from './file-kinds.js';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** The media types that clients send for a text of an unknown type. Its contents are checked byte by byte. */
const TEXT_TYPES: readonly string[] = ['text/plain', 'application/octet-stream'];

/**
 * The media types that clients send, by extension: the registered one (IANA) first, then those that browsers and
 * operating systems send instead.
 */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'jpg jpeg': 'image/jpeg',
    png: 'image/png',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
    heic: 'image/heic image/heif',
    heif: 'image/heif image/heic',
    'tif tiff': 'image/tiff',
    bmp: 'image/bmp image/x-ms-bmp',
    ico: 'image/vnd.microsoft.icon image/x-icon',
    psd: 'image/vnd.adobe.photoshop image/x-photoshop application/x-photoshop',
    jxl: 'image/jxl',
    svg: 'image/svg+xml',
    pdf: 'application/pdf',
    rtf: 'application/rtf text/rtf application/msword',
    epub: 'application/epub+zip',
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    docx: `${OPEN_XML}.wordprocessingml.document`,
    xlsx: `${OPEN_XML}.spreadsheetml.sheet`,
    pptx: `${OPEN_XML}.presentationml.presentation`,
    odt: `${OPEN_DOCUMENT}.text`,
    ods: `${OPEN_DOCUMENT}.spreadsheet`,
    odp: `${OPEN_DOCUMENT}.presentation`,
    odg: `${OPEN_DOCUMENT}.graphics`,
    zip: 'application/zip application/x-zip-compressed',
    gz: 'application/gzip application/x-gzip',
    tgz: 'application/gzip application/x-gzip application/x-compressed application/x-compressed-tar',
    tar: 'application/x-tar',
    '7z': 'application/x-7z-compressed',
    rar: 'application/vnd.rar application/x-rar-compressed application/x-rar application/x-compressed',
    mp3: 'audio/mpeg audio/mp3',
    m4a: 'audio/mp4 audio/x-m4a',
    aac: 'audio/aac audio/vnd.dlna.adts',
    wav: 'audio/wav audio/x-wav audio/vnd.wave',
    flac: 'audio/flac audio/x-flac',
    'ogg oga': 'audio/ogg video/ogg application/ogg',
    opus: 'audio/ogg audio/opus',
    mp4: 'video/mp4',
    m4v: 'video/x-m4v video/mp4',
    mov: 'video/quicktime',
    webm: 'video/webm audio/webm',
    ogv: 'video/ogg',
    mkv: 'video/matroska video/x-matroska',
    avi: 'video/vnd.avi video/x-msvideo video/avi',
    'mpg mpeg': 'video/mpeg',
    woff: 'font/woff application/font-woff',
    woff2: 'font/woff2',
    ttf: 'font/ttf application/x-font-ttf',
    otf: 'font/otf application/x-font-otf',
    wasm: 'application/wasm',
    txt: 'text/plain',
    // If Excel is installed, Windows sends Excel's type for a CSV.
    csv: 'text/csv text/plain application/csv application/vnd.ms-excel',
    'md markdown': `text/markdown text/x-markdown ${TEXT_TYPES.join(' ')}`,
    json: 'application/json text/json',
    'html htm': 'text/html',
    'xhtml xht': 'application/xhtml+xml',
    xml: 'application/xml text/xml',
    css: 'text/css',
    'js mjs cjs': 'text/javascript application/javascript application/x-javascript',
    ics: 'text/calendar',
    vcf: 'text/vcard text/x-vcard text/directory',
    eml: 'message/rfc822',
    'yaml yml': `application/yaml application/x-yaml text/yaml text/x-yaml ${TEXT_TYPES.join(' ')}`,
    geojson: 'application/geo+json application/json application/octet-stream',
  }).flatMap(([extensions, types]) => extensions.split(' ').map((extension) => [extension, types.split(' ')] as const)),
);

/**
 * The media types that clients send for a file. Null if they aren't known.
 *
 * @param extension lower case, without the dot
 */
export function mediaTypesOfExtension(extension: string): readonly string[] | null {
  return TYPES.get(extension) ?? (isTextExtension(extension) ? TEXT_TYPES : null);
}
