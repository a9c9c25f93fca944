import { type ArchiveLimits, checkArchiveContents, type ZipArchive } from '../archives/index.js';
import { type FileKind, type PagedSource, Refusal } from '../files/index.js';
import { checkCompoundFile, checkOfficeContainer } from '../office/index.js';
import { BYTES_PER_MEGABYTE, extensionsOf, mediaTypesOf, type UploadPolicy } from '../policy/index.js';
import type { FileHeader } from './file-header.js';
import type { TextEncoding } from './text-encodings.js';

/** The names of the checks, in their order. */
export type UploadRuleName = 'nonEmpty' | 'size' | 'extension' | 'mediaType' | 'header' | 'archive' | 'office' | 'text';

/** The file under inspection, as the rules see it. */
export interface Inspected {
  readonly policy: UploadPolicy;
  readonly archiveLimits: ArchiveLimits;
  /** Lower case, without the dot; '' if there is none. */
  readonly extension: string;
  /** The media type that the client sent. */
  readonly clientMediaType: string;
  readonly source: PagedSource;
  readonly kind: FileKind;
  readonly header: () => Promise<FileHeader>;
  readonly archive: () => Promise<ZipArchive>;
  readonly encoding: () => Promise<TextEncoding>;
}

export interface UploadRule {
  readonly name: UploadRuleName;
  /** Whether it is enforced while validation is off. */
  readonly isAlways: boolean;
  /** Whether it checks files of this kind. */
  applies(file: Inspected): boolean | Promise<boolean>;
  /** @throws Refusal */
  check(file: Inspected): void | Promise<void>;
}

const everyFile = (): boolean => true;

export const uploadRules: readonly UploadRule[] = [
  {
    name: 'nonEmpty',
    isAlways: true,
    applies: everyFile,
    check({ source }) {
      if (source.size === 0) throw new Refusal('EMPTY', 'The file is empty');
    },
  },
  {
    name: 'size',
    isAlways: true,
    applies: everyFile,
    check({ source, policy: { maxSizeMb } }) {
      if (source.size > maxSizeMb * BYTES_PER_MEGABYTE) {
        throw new Refusal('TOO_LARGE', `The file is larger than ${maxSizeMb} MB`);
      }
    },
  },
  { name: 'extension', isAlways: false, applies: everyFile, check: checkExtension },
  { name: 'mediaType', isAlways: false, applies: everyFile, check: checkMediaType },
  { name: 'header', isAlways: false, applies: ({ kind }) => kind.headers !== null || isText(kind), check: checkHeader },
  {
    name: 'archive',
    isAlways: false,
    applies: isZip,
    async check({ archive, source, archiveLimits }) {
      await checkArchiveContents(source, await archive(), archiveLimits);
    },
  },
  { name: 'office', isAlways: false, applies: isOffice, check: checkOffice },
  {
    name: 'text',
    isAlways: false,
    applies: ({ kind }) => isText(kind),
    async check({ encoding }) {
      await encoding();
    },
  },
];

function checkExtension({ extension, policy }: Inspected): void {
  if (extension === '') throw new Refusal('EXTENSION_MISSING', 'The name of the file has no extension');
  if (extensionsOf(policy.allowedExtensions).includes(extension)) return;
  throw new Refusal('EXTENSION_NOT_ALLOWED', 'Files with this extension are not accepted');
}

/** Ignores parameters such as `charset`. */
function checkMediaType({ clientMediaType, policy, kind }: Inspected): void {
  const [named] = mediaTypesOf(clientMediaType.replace(/;.*$/s, ''));
  // A part without a Content-Type is text/plain (RFC 7578, section 4.4), which is wrong for a file with a known header.
  const isUnnamed = named === 'text/plain' && kind.headers !== null;
  const isOne = !clientMediaType.includes(',') && named !== undefined;
  if (isOne && !isUnnamed && mediaTypesOf(policy.allowedMimeTypes).includes(named)) return;
  throw new Refusal('MEDIA_TYPE_NOT_ALLOWED', 'The media type that the client names is not accepted for this file');
}

/** Signatures that no text starts with by chance. */
const NEVER_TEXT: readonly string[] = ['pdf', 'zip', 'cfb', 'jpg', 'png', 'webp', '7z', 'rar', 'gz', 'elf'];

async function checkHeader({ extension, kind, header }: Inspected): Promise<void> {
  const { name } = await header();
  const fits = kind.headers === null ? name === null || !NEVER_TEXT.includes(name) : kind.headers.includes(name ?? '');
  if (fits) return;
  if (name === 'cfb' && kind.contents === 'office') {
    throw new Refusal('OFFICE_ENCRYPTED', `The file is encrypted, or of an older format than ${extension}`);
  }
  throw new Refusal('HEADER_MISMATCH', `The file does not begin as a ${extension} file does`);
}

async function isZip({ kind, header }: Inspected): Promise<boolean> {
  if (kind.contents === 'text' || kind.contents === 'compound') return false;
  const { name, isZip: hasZipHeader } = await header();
  return hasZipHeader && (kind.headers?.includes(name ?? '') ?? false);
}

async function isOffice(file: Inspected): Promise<boolean> {
  if (file.kind.contents === 'compound') return (await file.header()).name === 'cfb';
  return file.kind.contents === 'office' && (await isZip(file));
}

async function checkOffice({ kind, archive, source, extension }: Inspected): Promise<void> {
  if (kind.contents === 'compound') await checkCompoundFile(source, extension);
  else await checkOfficeContainer(source, await archive(), extension);
}

function isText({ contents }: FileKind): boolean {
  return contents === 'text';
}
