import type { PagedSource } from '../files/index.js';

/** The end of central directory record without its comment: APPNOTE.TXT 6.3.10, section 4.3.16. */
const END_RECORD_BYTES = 22;
const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');

/** The line ends that mail and crawlers leave behind a file, and padding to a block of a disk. */
const MAX_PADDING_BYTES = 512;
const PADDING: ReadonlySet<number> = new Set([0x00, 0x0a, 0x0d, 0x20]);

/**
 * Where the archive ends: in front of padding that holds nothing, which genuine files in the wild have; the end of the
 * file otherwise, where a reader that wants no bytes behind an archive finds what is wrong.
 */
export async function archiveEnd(source: PagedSource): Promise<number> {
  const tailStart = Math.max(0, source.size - END_RECORD_BYTES - MAX_PADDING_BYTES);
  const tail = await source.read(tailStart, source.size - tailStart);
  let at = tail.length;
  while (at > 0 && PADDING.has(tail[at - 1] ?? -1)) at--;
  // The record's own last bytes may be zeros.
  const record = tail.lastIndexOf(END_RECORD);
  if (record === -1 || record + END_RECORD_BYTES > tail.length) return source.size;
  const end = record + END_RECORD_BYTES + tail.readUInt16LE(record + END_RECORD_BYTES - 2);
  return at <= end && end <= tail.length ? tailStart + end : source.size;
}
