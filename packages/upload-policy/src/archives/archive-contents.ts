import { crc32, createInflateRaw, inflateRaw } from 'node:zlib';
import { type PagedSource, Refusal } from '../files/index.js';
import { type ArchiveLimits, RATIO_GRACE_BYTES } from './archive-limits.js';
import type { ArchiveEntry, ZipArchive } from './zip-archive.js';

/** Entries up to this size are inflated at once; larger ones are streamed. */
const ONE_PIECE_BYTES = 131_072;

const CHUNK_BYTES = 65_536;

const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');

/**
 * Counts every unpacked byte of the archive, up to the size that its directory declares, and computes the CRC-32 of
 * every entry that is not encrypted. Entries must not share bytes, so that no archive unpacks to more than it declares.
 *
 * @throws Refusal
 */
export async function checkArchiveContents(
  source: PagedSource,
  archive: ZipArchive,
  limits: ArchiveLimits,
): Promise<void> {
  checkDeclared(archive.entries, source.size, limits);
  await checkPlaces(source, archive);
  for (const entry of archive.entries) {
    if (entry.isEncrypted) continue;
    const { taken, unpacked, crc } = entry.isDeflated ? await inflated(source, entry) : await stored(source, entry);
    if (unpacked !== entry.unpackedBytes) throw wrongSize();
    if (taken !== entry.packedBytes) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has an entry with extra bytes after its end');
    }
    if (crc !== entry.crc) throw wrongCrc();
  }
}

/** The unpacked bytes of one entry, at most `maxBytes` of them. @throws Refusal */
export async function unpackEntry(source: PagedSource, entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
  if (entry.unpackedBytes > maxBytes || entry.packedBytes > maxBytes) {
    throw new Refusal('ARCHIVE_BOMB', 'The archive has an entry that is too large for its kind');
  }
  const packed = await source.read(entry.dataStart, entry.packedBytes);
  const bytes = entry.isDeflated ? (await inflatePiece(packed, maxBytes)).bytes : packed;
  if (crc32(bytes) !== entry.crc) throw wrongCrc();
  return bytes;
}

function checkDeclared(
  entries: readonly ArchiveEntry[],
  archiveBytes: number,
  { maxUnpackedBytes, maxRatio }: ArchiveLimits,
): void {
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  const isBomb =
    unpackedBytes > maxUnpackedBytes || (unpackedBytes > RATIO_GRACE_BYTES && unpackedBytes > archiveBytes * maxRatio);
  if (isBomb) throw new Refusal('ARCHIVE_BOMB', 'The archive unpacks to too many bytes');
}

async function checkPlaces(source: PagedSource, { entries, directoryStart }: ZipArchive): Promise<void> {
  const inOrder = entries.toSorted((a, b) => a.start - b.start);
  if ((inOrder[0]?.start ?? directoryStart) !== 0) {
    throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive does not start with one of its entries');
  }
  for (const [index, entry] of inOrder.entries()) {
    const end = entry.dataStart + entry.packedBytes;
    const next = inOrder[index + 1]?.start ?? directoryStart;
    if (end > next) throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has entries that overlap');
    if (entry.isCrcInDescriptor && !entry.isEncrypted && !(await hasDescriptor(source, entry, end, next))) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive describes an entry in two different ways');
    }
    if (await hidesEntry(source, end, next)) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has an entry that its directory does not list');
    }
  }
}

/** A reader that scans the file from its start instead of using the directory would find such an entry. */
async function hidesEntry(source: PagedSource, start: number, end: number): Promise<boolean> {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    const overlapped = Math.min(end - at, CHUNK_BYTES + LOCAL_HEADER.length - 1);
    if ((await source.read(at, overlapped)).includes(LOCAL_HEADER)) return true;
  }
  return false;
}

/** Whether the CRC of the directory follows the data, with or without the descriptor's signature: section 4.3.9. */
async function hasDescriptor(source: PagedSource, { crc }: ArchiveEntry, start: number, end: number): Promise<boolean> {
  const bytes = await source.read(start, Math.min(8, end - start));
  return [0, 4].some((at) => at + 4 <= bytes.length && bytes.readUInt32LE(at) === crc);
}

/** The measured entry: its packed bytes, its unpacked bytes, and their CRC-32. */
interface Unpacking {
  readonly taken: number;
  readonly unpacked: number;
  readonly crc: number;
}

async function stored(source: PagedSource, { dataStart, packedBytes }: ArchiveEntry): Promise<Unpacking> {
  let crc = 0;
  for (let read = 0; read < packedBytes; read += CHUNK_BYTES) {
    crc = crc32(await source.read(dataStart + read, Math.min(CHUNK_BYTES, packedBytes - read)), crc);
  }
  return { taken: packedBytes, unpacked: packedBytes, crc };
}

async function inflated(source: PagedSource, entry: ArchiveEntry): Promise<Unpacking> {
  if (entry.packedBytes <= ONE_PIECE_BYTES && entry.unpackedBytes <= ONE_PIECE_BYTES) {
    const packed = await source.read(entry.dataStart, entry.packedBytes);
    const { bytes, taken } = await inflatePiece(packed, entry.unpackedBytes);
    return { taken, unpacked: bytes.length, crc: crc32(bytes) };
  }
  return inflatedStream(source, entry);
}

/** The result of `inflateRaw` with its option `info`, which the types don't cover. */
interface InflatedPiece {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Allows one byte more than the limit, to distinguish the exact size from a larger one. */
function inflatePiece(packed: Buffer, maxBytes: number): Promise<{ readonly bytes: Buffer; readonly taken: number }> {
  return new Promise((resolve, reject) => {
    inflateRaw(packed, { maxOutputLength: maxBytes + 1, info: true }, (error, result) => {
      if (error !== null) return reject(inflateRefusal(error));
      const { buffer, engine } = result as unknown as InflatedPiece;
      resolve({ bytes: buffer, taken: engine.bytesWritten });
    });
  });
}

async function inflatedStream(
  source: PagedSource,
  { dataStart, packedBytes, unpackedBytes }: ArchiveEntry,
): Promise<Unpacking> {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const failed = new Promise<never>((_, reject) => inflate.once('error', (error) => reject(inflateRefusal(error))));
  failed.catch(() => {});
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    inflate.once('end', () => {
      isEnded = true;
      resolve();
    });
  });
  let counted = 0;
  let crc = 0;
  inflate.on('data', (bytes: Buffer) => {
    counted += bytes.length;
    crc = crc32(bytes, crc);
    if (counted > unpackedBytes) inflate.destroy(wrongSize());
  });
  try {
    for (let read = 0; read < packedBytes && !isEnded; ) {
      const chunk = await source.read(dataStart + read, Math.min(CHUNK_BYTES, packedBytes - read));
      read += chunk.length;
      const isTaken = new Promise<void>((resolve) => inflate.write(chunk, () => resolve()));
      await Promise.race([isTaken, ended, failed]);
    }
    inflate.end();
    await Promise.race([ended, failed]);
    return { taken: inflate.bytesWritten, unpacked: counted, crc };
  } finally {
    inflate.destroy();
  }
}

function inflateRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? wrongSize()
    : new Refusal('ARCHIVE_UNREADABLE', 'The archive has an entry that cannot be unpacked');
}

function wrongCrc(): Refusal {
  return new Refusal('ARCHIVE_CRC_MISMATCH', 'The archive has an entry whose checksum is wrong');
}

function wrongSize(): Refusal {
  return new Refusal('ARCHIVE_BOMB', 'The archive has an entry with another size than it declares');
}
