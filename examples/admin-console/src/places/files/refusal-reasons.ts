import { defineTexts, useTexts } from '../../language/language.js';

/** Why the upload policy refuses a file, by the stable words of the service. */
const reasons = defineTexts({
  en: {
    EMPTY: 'The file is empty.',
    TOO_LARGE: 'The file is larger than the policy allows.',
    EXTENSION_MISSING: 'The name of the file has no extension.',
    EXTENSION_NOT_ALLOWED: 'Files with this extension are not accepted.',
    MEDIA_TYPE_NOT_ALLOWED: 'The media type that the browser declares is not accepted.',
    HEADER_MISMATCH: 'The content of the file does not match its extension.',
    TEXT_INVALID: 'The content is not text in a known encoding.',
    ARCHIVE_UNREADABLE: 'The archive is damaged or incomplete, or has extra bytes around it.',
    ARCHIVE_TOO_MANY_ENTRIES: 'The archive has too many entries.',
    ARCHIVE_BOMB: 'The archive unpacks to more than is allowed, or than it declares.',
    ARCHIVE_CRC_MISMATCH: 'An entry of the archive is damaged.',
    ARCHIVE_TRAVERSAL: 'An entry of the archive would be unpacked outside its folder.',
    ARCHIVE_AMBIGUOUS: 'Different programs could read different contents from this archive.',
    OFFICE_PART_MISSING: 'The document lacks a part that every file of its kind has.',
    OFFICE_ENTRY_DUPLICATE: 'The document has one part twice.',
    OFFICE_ENCRYPTED: 'The document is encrypted, or has an older format than its extension says.',
    OFFICE_MACROS: 'The document contains macros.',
  },
  'zh-CN': {
    EMPTY: '文件为空。',
    TOO_LARGE: '文件超过策略允许的大小。',
    EXTENSION_MISSING: '文件名没有扩展名。',
    EXTENSION_NOT_ALLOWED: '不接受此扩展名的文件。',
    MEDIA_TYPE_NOT_ALLOWED: '浏览器声明的媒体类型不被接受。',
    HEADER_MISMATCH: '文件内容与扩展名不符。',
    TEXT_INVALID: '内容不是已知编码的文本。',
    ARCHIVE_UNREADABLE: '压缩包已损坏、不完整，或前后有多余的字节。',
    ARCHIVE_TOO_MANY_ENTRIES: '压缩包内的条目过多。',
    ARCHIVE_BOMB: '压缩包解压后超过上限，或与其声明的大小不符。',
    ARCHIVE_CRC_MISMATCH: '压缩包内有条目已损坏。',
    ARCHIVE_TRAVERSAL: '压缩包内有条目会被解压到目录之外。',
    ARCHIVE_AMBIGUOUS: '不同程序可能从该压缩包读出不同的内容。',
    OFFICE_PART_MISSING: '文档缺少此类文件必有的部分。',
    OFFICE_ENTRY_DUPLICATE: '文档中同一部分出现两次。',
    OFFICE_ENCRYPTED: '文档已加密，或其格式早于扩展名所示。',
    OFFICE_MACROS: '文档含有宏。',
  },
});

/** Explains a reason in the language of the page. Null for one that this page does not know. */
export function useReasonText(): (reason: string) => string | null {
  const known = new Map<string, string>(Object.entries(useTexts(reasons)));
  return (reason) => known.get(reason) ?? null;
}

/** The reason at the end of a fault that the service names: `The file is empty (EMPTY)`. */
export function reasonOf(detail: string): string | null {
  return /\(([A-Z_]+)\)$/.exec(detail)?.[1] ?? null;
}
