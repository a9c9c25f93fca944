import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  type LocalFileHeader,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import type { PagedSource } from '../files/index.js';
import { Refusal } from '../files/index.js';
import { archiveEnd } from './archive-end.js';
import type { ArchiveLimits } from './archive-limits.js';

/** One entry of the central directory. */
export interface ArchiveEntry {
  /** With `/` between its parts. */
  readonly name: string;
  /** As declared: to be counted, not believed. */
  readonly unpackedBytes: number;
  readonly packedBytes: number;
  readonly isDeflated: boolean;
  readonly isEncrypted: boolean;
  /** Where its local header begins. */
  readonly start: number;
  /** Where its packed bytes begin. */
  readonly dataStart: number;
}

export interface ZipArchive {
  readonly entries: readonly ArchiveEntry[];
  /** Where the central directory begins. */
  readonly directoryStart: number;
}

/** Far beyond any file system's longest path that a packer takes. */
const MAX_NAME_BYTES = 1024;

const STORED = 0;
const DEFLATED = 8;

/** General purpose flags: APPNOTE.TXT 6.3.10, section 4.4.4. */
const ENCRYPTED = 0x1;
const DESCRIPTOR = 0x8;

/** What may stand behind the last entry of a central directory: sections 4.3.13, 4.3.14, 4.3.16. */
const DIRECTORY_ENDS: readonly number[] = [0x05054b50, 0x06064b50, 0x06054b50];
const DIRECTORY_ENTRY_BYTES = 46;

/** A size or offset that stands in the ZIP64 extra field. */
const IN_ZIP64 = 0xffffffff;
const ZIP64_FIELD = 0x1;

/** Lets yauzl read where a source reads. */
class SourceReader extends RandomAccessReader {
  readonly #source: PagedSource;

  constructor(source: PagedSource) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#source.read(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    );
  }
}

/**
 * Reads the central directory, and each local header beside it: what one says the other must say, or two readers would
 * see two archives. Requirement UPL-4.
 *
 * @throws Refusal
 */
export async function readZipArchive(source: PagedSource, { maxEntries }: ArchiveLimits): Promise<ZipArchive> {
  const zip = await openZip(source);
  const directoryStart = Number(zip.readEntryCursor);
  if (zip.entryCount > maxEntries) {
    throw new Refusal('ARCHIVE_TOO_MANY_ENTRIES', `The archive has more than ${maxEntries} entries`);
  }
  const listed: Entry[] = [];
  let directoryEnd = directoryStart;
  for await (const entry of eachEntry(zip)) {
    directoryEnd += DIRECTORY_ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    listed.push(entry);
  }
  const behind = await source.read(directoryEnd, 4);
  if (behind.length < 4 || !DIRECTORY_ENDS.includes(behind.readUInt32LE())) {
    throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has entries that its directory does not count');
  }
  const entries: ArchiveEntry[] = [];
  for (const entry of listed) entries.push(await readEntry(zip, entry));
  return { entries, directoryStart };
}

async function openZip(source: PagedSource): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const end = await archiveEnd(source);
  return readable(() => fromRandomAccessReaderPromise(new SourceReader(source), end, options));
}

async function* eachEntry(zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await readable(() => entries.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** What yauzl throws is about the file. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch {
    throw new Refusal('ARCHIVE_UNREADABLE', 'The archive cannot be read from end to end');
  }
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<ArchiveEntry> {
  const { compressionMethod: method, generalPurposeBitFlag: flags } = entry;
  const isEncrypted = (flags & ENCRYPTED) !== 0;
  const local = await readable(() => zip.readLocalFileHeaderPromise(entry));
  const hasDescriptor = (local.generalPurposeBitFlag & DESCRIPTOR) !== 0;
  const isSame =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === method &&
    (local.generalPurposeBitFlag & ENCRYPTED) === (flags & ENCRYPTED) &&
    (hasDescriptor || isSameSize(local, entry));
  if (!isSame) throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive describes an entry in two different ways');
  if (!isEncrypted && method !== STORED && method !== DEFLATED) {
    throw new Refusal('ARCHIVE_UNREADABLE', 'The archive uses a compression method that cannot be checked');
  }
  return {
    name: entryName(entry),
    unpackedBytes: entry.uncompressedSize,
    packedBytes: entry.compressedSize,
    isDeflated: method === DEFLATED,
    isEncrypted,
    start: entry.relativeOffsetOfLocalHeader,
    dataStart: local.fileDataStart,
  };
}

function isSameSize(local: LocalFileHeader, { compressedSize, uncompressedSize }: Entry): boolean {
  const zip64 = zip64SizesOf(local.extraField);
  const sizes = [local.uncompressedSize, local.compressedSize].map((size) =>
    size === IN_ZIP64 ? zip64.next().value : size,
  );
  return sizes[0] === uncompressedSize && sizes[1] === compressedSize;
}

/** The sizes in an extra field, in their order: section 4.5.3. */
function* zip64SizesOf(extraField: Buffer): Generator<number, undefined> {
  for (let at = 0; at + 4 <= extraField.length; ) {
    const end = at + 4 + extraField.readUInt16LE(at + 2);
    if (extraField.readUInt16LE(at) === ZIP64_FIELD) {
      for (let size = at + 4; size + 8 <= Math.min(end, extraField.length); size += 8) {
        yield Number(extraField.readBigUInt64LE(size));
      }
      return;
    }
    at = end;
  }
}

function entryName(entry: Entry): string {
  const name =
    entry.fileNameLength <= MAX_NAME_BYTES
      ? getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
      : '';
  if (name === '' || name.includes('\0')) {
    throw new Refusal('ARCHIVE_UNREADABLE', 'The archive has an entry whose name is none');
  }
  const isOutside = name.startsWith('/') || /^[a-z]:/i.test(name) || name.split('/').includes('..');
  if (isOutside || isLink(entry)) {
    throw new Refusal('ARCHIVE_TRAVERSAL', 'The archive has an entry that leads out of the folder it is unpacked to');
  }
  return name;
}

/** A symbolic link, as packers of Unix and macOS write it: followed, it may lead anywhere. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}
