import type { UploadSource } from '../receiving/index.js';

/** One page is all that is kept of a file while it is looked through. */
const PAGE_BYTES = 16_384;

/** The file in pieces: small reads come from one page, so that ten thousand of them aren't ten thousand system calls. */
export interface PagedSource extends UploadSource {
  /** The bytes at `position`, or as many as there are; none for a place outside the file. */
  read(position: number, length: number): Promise<Buffer>;
}

export function createPagedSource(source: UploadSource): PagedSource {
  const { size } = source;
  let page: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  async function readExactly(position: number, length: number): Promise<Buffer> {
    const { buffer, byteOffset, byteLength } = await source.read(position, length);
    if (byteLength !== length) throw new Error(`The source yielded ${byteLength} bytes of ${length} that it has`);
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  async function read(position: number, length: number): Promise<Buffer> {
    if (!Number.isSafeInteger(position) || position < 0 || position >= size || length <= 0) return Buffer.alloc(0);
    const end = Math.min(position + length, size);
    if (end - position > PAGE_BYTES / 2) return readExactly(position, end - position);
    if (position < page.start || end > page.start + page.bytes.length) {
      page = { start: position, bytes: await readExactly(position, Math.min(PAGE_BYTES, size - position)) };
    }
    return page.bytes.subarray(position - page.start, end - page.start);
  }

  return { size, read };
}
