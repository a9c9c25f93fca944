import { createInflateRaw, inflateRaw } from 'node:zlib';
import type { PagedSource } from '../files/index.js';
import { Refusal } from '../files/index.js';
import { type ArchiveLimits, RATIO_GRACE_BYTES } from './archive-limits.js';
import type { ArchiveEntry, ZipArchive } from './zip-archive.js';

/** Up to here an entry is inflated in one piece; what is larger streams. */
const ONE_PIECE_BYTES = 131_072;

const CHUNK_BYTES = 65_536;

const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');

/**
 * Every byte that comes out of the archive is counted; what the directory declares is an upper bound at which counting
 * ends. No two entries may share bytes, so that no archive unpacks to more than it declares. Requirement UPL-4.
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
    const { taken, yielded } = entry.isDeflated ? await inflated(source, entry) : stored(entry);
    if (yielded !== entry.unpackedBytes) throw lyingSize();
    if (taken !== entry.packedBytes) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has an entry with something behind its end');
    }
  }
}

/** The unpacked bytes of one entry, at most `maxBytes` of them. @throws Refusal */
export async function unpackEntry(source: PagedSource, entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
  if (entry.unpackedBytes > maxBytes || entry.packedBytes > maxBytes) {
    throw new Refusal('ARCHIVE_BOMB', 'The archive has a part that is larger than any genuine one');
  }
  const packed = await source.read(entry.dataStart, entry.packedBytes);
  return entry.isDeflated ? (await inflatePiece(packed, maxBytes)).bytes : packed;
}

function checkDeclared(
  entries: readonly ArchiveEntry[],
  archiveBytes: number,
  { maxUnpackedBytes, maxRatio }: ArchiveLimits,
): void {
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  const isBomb =
    unpackedBytes > maxUnpackedBytes || (unpackedBytes > RATIO_GRACE_BYTES && unpackedBytes > archiveBytes * maxRatio);
  if (isBomb) throw new Refusal('ARCHIVE_BOMB', 'Too much comes out of the archive');
}

async function checkPlaces(source: PagedSource, { entries, directoryStart }: ZipArchive): Promise<void> {
  const inOrder = entries.toSorted((a, b) => a.start - b.start);
  if ((inOrder[0]?.start ?? directoryStart) !== 0) {
    throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive does not begin with one of its entries');
  }
  for (const [index, entry] of inOrder.entries()) {
    const end = entry.dataStart + entry.packedBytes;
    const next = inOrder[index + 1]?.start ?? directoryStart;
    if (end > next) throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has entries that overlap');
    if (await hidesEntry(source, end, next)) {
      throw new Refusal('ARCHIVE_AMBIGUOUS', 'The archive has an entry that its directory does not list');
    }
  }
}

/** A reader that goes through the file from its begin, not by its directory, would find this one. */
async function hidesEntry(source: PagedSource, begin: number, end: number): Promise<boolean> {
  for (let at = begin; at < end; at += CHUNK_BYTES) {
    const overlapped = Math.min(end - at, CHUNK_BYTES + LOCAL_HEADER.length - 1);
    if ((await source.read(at, overlapped)).includes(LOCAL_HEADER)) return true;
  }
  return false;
}

/** What an entry's data are: as many bytes were taken from the archive, and as many came out. */
interface Unpacking {
  readonly taken: number;
  readonly yielded: number;
}

function stored({ packedBytes }: ArchiveEntry): Unpacking {
  return { taken: packedBytes, yielded: packedBytes };
}

async function inflated(source: PagedSource, entry: ArchiveEntry): Promise<Unpacking> {
  if (entry.packedBytes <= ONE_PIECE_BYTES && entry.unpackedBytes <= ONE_PIECE_BYTES) {
    const packed = await source.read(entry.dataStart, entry.packedBytes);
    const { bytes, taken } = await inflatePiece(packed, entry.unpackedBytes);
    return { taken, yielded: bytes.length };
  }
  return inflatedStream(source, entry);
}

/** What `inflateRaw` yields with its option `info`, which the types don't know. */
interface InflatedPiece {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** One byte more than may come tells apart what is right and what is too much. */
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
  inflate.on('data', (bytes: Buffer) => {
    counted += bytes.length;
    if (counted > unpackedBytes) inflate.destroy(lyingSize());
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
    return { taken: inflate.bytesWritten, yielded: counted };
  } finally {
    inflate.destroy();
  }
}

function inflateRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? lyingSize()
    : new Refusal('ARCHIVE_UNREADABLE', 'The archive has an entry that cannot be unpacked');
}

function lyingSize(): Refusal {
  return new Refusal('ARCHIVE_BOMB', 'The archive has an entry that is not of the size that it declares');
}
