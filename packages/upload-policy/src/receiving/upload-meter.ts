import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** Counts and digests the bytes, and fails at the first byte over the limit. */
export class UploadMeter extends Transform {
  readonly #maxBytes: number;
  readonly #makeError: () => Error;
  readonly #digest = createHash('sha256');
  #bytes = 0;

  constructor(maxBytes: number, makeError: () => Error) {
    super();
    this.#maxBytes = maxBytes;
    this.#makeError = makeError;
  }

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lower-case hex of the digest. Call it once, at the end. */
  sha256(): string {
    return this.#digest.digest('hex');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      done(this.#makeError());
      return;
    }
    this.#digest.update(chunk);
    done(null, chunk);
  }
}
