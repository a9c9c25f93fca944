import { fileTypeFromBuffer } from 'file-type';
import type { PagedSource } from '../files/index.js';

/** As much as file-type looks at. */
const SAMPLE_BYTES = 4100;

/** A local file header, or the end record of an empty archive: APPNOTE.TXT 6.3.10, sections 4.3.7 and 4.3.16. */
const ZIP_HEADERS: readonly string[] = ['PK\x03\x04', 'PK\x05\x06'];

/** In front of anything else: a file that begins as something other is that other thing to somebody. */
const PDF_HEADER = /^(?:\xef\xbb\xbf)?%PDF-\d/;

/** What a file begins as. */
export interface FileHeader {
  /** An extension as file-type names it; null if it knows of none. */
  readonly name: string | null;
  readonly mediaType: string | null;
  /** Whether it is a ZIP, of whatever kind. */
  readonly isZip: boolean;
}

const NONE: FileHeader = { name: null, mediaType: null, isZip: false };
const ZIP: FileHeader = { name: 'zip', mediaType: 'application/zip', isZip: true };

/** @param isZipKind whether it matters what kind of ZIP it is; that is a guess from the first entries. */
export async function detectHeader(source: PagedSource, isZipKind: boolean): Promise<FileHeader> {
  const sample = await source.read(0, SAMPLE_BYTES);
  const isZip = ZIP_HEADERS.includes(sample.toString('latin1', 0, 4));
  // The central directory tells what a ZIP holds; file-type would inflate what comes first.
  if (isZip && !isZipKind) return ZIP;
  const found = await detect(sample);
  if (found.name === 'pdf' && !PDF_HEADER.test(sample.toString('latin1', 0, 16))) return NONE;
  // A piece of an archive that was split.
  if (found.name === 'zip' && !isZip) return NONE;
  return isZip ? { ...(found.name === null ? ZIP : found), isZip } : found;
}

/** What the sample is cut off in must not make the file's verdict an error. */
async function detect(sample: Uint8Array): Promise<FileHeader> {
  try {
    const found = await fileTypeFromBuffer(sample);
    return found === undefined ? NONE : { name: found.ext, mediaType: found.mime, isZip: false };
  } catch {
    return NONE;
  }
}
