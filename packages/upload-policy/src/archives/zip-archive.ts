import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  type LocalFileHeader,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import { type PagedSource, Refusal } from '../files/index.js';
import type { ArchiveLimits } from './archive-limits.js';

/** One entry of the central directory. */
export interface ArchiveEntry {
  /** The path to which readers unpack the entry, with `/` as the separator. */
  readonly name: string;
  /** The name in the header, with its backslashes, and without the Unicode path that an extra field may add. */
  readonly headerName: string;
  /** The declared size, which has to be verified by counting. */
  readonly unpackedBytes: number;
  readonly packedBytes: number;
  /** The declared CRC, which has to be verified by computing it. */
  readonly crc: number;
  /** Whether the entry's own header leaves the CRC to a descriptor after the data: APPNOTE.TXT 6.3.10, 4.3.9. */
  readonly isCrcInDescriptor: boolean;
  readonly isDeflated: boolean;
  readonly isEncrypted: boolean;
  /** The offset of its local header. */
  readonly start: number;
  /** The offset of its packed bytes. */
  readonly dataStart: number;
}

export interface ZipArchive {
  readonly entries: readonly ArchiveEntry[];
  /** The offset of the central directory. */
  readonly directoryStart: number;
}

/** The longest name. Packers store shorter paths. */
const MAX_NAME_BYTES = 1024;

/** Packers write five at most. */
const MAX_EXTRA_FIELDS = 16;

const STORED = 0;
const DEFLATED = 8;

/** General purpose flags: APPNOTE.TXT 6.3.10, section 4.4.4. */
const ENCRYPTED = 0x1;
const DESCRIPTOR = 0x8;

/** The records that may follow the last entry of a central directory: sections 4.3.13, 4.3.14, 4.3.16. */
const DIRECTORY_ENDS: readonly number[] = [0x05054b50, 0x06064b50, 0x06054b50];
const DIRECTORY_ENTRY_BYTES = 46;

/** The marker of a size or offset that is in the ZIP64 extra field. */
const IN_ZIP64 = 0xffffffff;
const ZIP64_FIELD = 0x1;

/** The end of central directory record without its comment: section 4.3.16. */
const END_RECORD_BYTES = 22;
const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');

/** Line ends that mail and crawlers append to a file, and padding to a disk block. */
const MAX_PADDING_BYTES = 512;
const PADDING: ReadonlySet<number> = new Set([0x00, 0x0a, 0x0d, 0x20]);

/** Lets yauzl read from a source. */
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
 * Reads the central directory, and the local header of each entry. The two must agree, or two readers could see
 * different archives.
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
    // yauzl makes an object of each, and four bytes suffice for one.
    if (entry.extraFields.length > MAX_EXTRA_FIELDS) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has an entry with more extra fields than any packer writes');
    }
    listed.push(entry);
  }
  const following = await source.read(directoryEnd, 4);
  if (following.length < 4 || !DIRECTORY_ENDS.includes(following.readUInt32LE())) {
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

/**
 * The end of the archive, before the trailing padding that some genuine files have. Without padding it is the end of
 * the file, after which yauzl refuses bytes.
 */
async function archiveEnd(source: PagedSource): Promise<number> {
  const tailStart = Math.max(0, source.size - END_RECORD_BYTES - MAX_PADDING_BYTES);
  const tail = await source.read(tailStart, source.size - tailStart);
  let at = tail.length;
  while (at > 0 && PADDING.has(tail[at - 1] ?? -1)) at--;
  // The record itself may end in zeros.
  const record = tail.lastIndexOf(END_RECORD);
  if (record === -1 || record + END_RECORD_BYTES > tail.length) return source.size;
  const end = record + END_RECORD_BYTES + tail.readUInt16LE(record + END_RECORD_BYTES - 2);
  return at <= end && end <= tail.length ? tailStart + end : source.size;
}

async function* eachEntry(zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await readable(() => entries.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Errors of yauzl are faults of the file. */
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
    (hasDescriptor || (local.crc32 === entry.crc32 && isSameSize(local, entry)));
  if (!isSame) throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive describes an entry in two different ways');
  if (!isEncrypted && method !== STORED && method !== DEFLATED) {
    throw new Refusal('ARCHIVE_UNREADABLE', 'The archive uses a compression method that cannot be checked');
  }
  return {
    ...namesOf(entry),
    unpackedBytes: entry.uncompressedSize,
    packedBytes: entry.compressedSize,
    crc: entry.crc32,
    isCrcInDescriptor: hasDescriptor && local.crc32 !== entry.crc32,
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

function namesOf(entry: Entry): Pick<ArchiveEntry, 'name' | 'headerName'> {
  const { generalPurposeBitFlag: flags, fileNameRaw: bytes, extraFields } = entry;
  const isTooLong = entry.fileNameLength > MAX_NAME_BYTES;
  const name = isTooLong ? '' : getFileNameLowLevel(flags, bytes, extraFields, false);
  const headerName = isTooLong ? '' : getFileNameLowLevel(flags, bytes, [], true);
  // Some readers use the Unicode path of an extra field, and some the name in the header.
  for (const path of [name, headerName.replaceAll('\\', '/')]) {
    if (path === '' || path.includes('\0')) {
      throw new Refusal('ARCHIVE_UNREADABLE', 'The archive has an entry without a valid name');
    }
    if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..') || isLink(entry)) {
      throw new Refusal('ARCHIVE_TRAVERSAL', 'The archive has an entry that would be unpacked outside its folder');
    }
  }
  return { name, headerName };
}

/** Whether the entry is a symbolic link, as packers on Unix and macOS write it. It may point anywhere. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}
