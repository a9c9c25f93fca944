/** A complete file, read in pieces. */
export interface UploadSource {
  /** The size, in bytes. */
  readonly size: number;
  /** The bytes at `position`: exactly `length`, or fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
}

/** An inspection keeps one page of the file in memory. */
const PAGE_BYTES = 16_384;

/** Serves small reads from one page, so that ten thousand reads aren't ten thousand system calls. */
export interface PagedSource extends UploadSource {
  /** The bytes at `position`, or fewer at the end of the file. Empty for a position outside the file. */
  read(position: number, length: number): Promise<Buffer>;
}

export function createPagedSource(source: UploadSource): PagedSource {
  const { size } = source;
  let page: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  async function readExactly(position: number, length: number): Promise<Buffer> {
    const { buffer, byteOffset, byteLength } = await source.read(position, length);
    if (byteLength !== length) throw new Error(`The source returned ${byteLength} bytes instead of ${length}`);
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
