import { fileTypeFromBuffer } from 'file-type';
import type { PagedSource } from '../files/index.js';

/** The number of bytes that file-type reads. */
const SAMPLE_BYTES = 4100;

/** A local file header, or the end record of an empty archive: APPNOTE.TXT 6.3.10, sections 4.3.7 and 4.3.16. */
const ZIP_HEADERS: readonly string[] = ['PK\x03\x04', 'PK\x05\x06'];

/**
 * The signature must be at the start of the file, because some readers take a file that starts like another format for
 * that format.
 */
const PDF_HEADER = /^(?:\xef\xbb\xbf)?%PDF-\d/;

/** The format of a file by its first bytes. */
export interface FileHeader {
  /** The extension that file-type returns. Null if it does not recognise the format. */
  readonly name: string | null;
  readonly mediaType: string | null;
  /** Whether it is a ZIP of any kind. */
  readonly isZip: boolean;
}

const NONE: FileHeader = { name: null, mediaType: null, isZip: false };
const ZIP: FileHeader = { name: 'zip', mediaType: 'application/zip', isZip: true };

/** @param isZipKind whether the kind of a ZIP matters. The kind is a guess from its first entries */
export async function detectHeader(source: PagedSource, isZipKind: boolean): Promise<FileHeader> {
  const sample = await source.read(0, SAMPLE_BYTES);
  const isZip = ZIP_HEADERS.includes(sample.toString('latin1', 0, 4));
  // The central directory lists the contents of a ZIP. file-type would inflate its first entries.
  if (isZip && !isZipKind) return ZIP;
  const found = await detect(sample);
  if (found.name === 'pdf' && !PDF_HEADER.test(sample.toString('latin1', 0, 16))) return NONE;
  // One volume of a split archive.
  if (found.name === 'zip' && !isZip) return NONE;
  return isZip ? { ...(found.name === null ? ZIP : found), isZip } : found;
}

/** file-type may throw for a sample that is cut off, which must not fail the inspection. */
async function detect(sample: Uint8Array): Promise<FileHeader> {
  try {
    const found = await fileTypeFromBuffer(sample);
    return found === undefined ? NONE : { name: found.ext, mediaType: found.mime, isZip: false };
  } catch {
    return NONE;
  }
}
