import { GHASH } from '@noble/ciphers/_polyval.js';

const WORD_BYTES = 4;
const BLOCK_BYTES = 16;

/**
 * noble's GHASH behind the interface of `src/gm/ghash.ts`. It gets the length of the message, by which it
 * chooses its fastest table.
 */
export class Ghash {
  #subkey;
  #parts = [];

  constructor(subkey) {
    this.#subkey = subkey;
  }

  update(part) {
    this.#parts.push(part);
    return this;
  }

  digest(associatedBytes, ciphertextBytes) {
    const ghash = new GHASH(this.#subkey, associatedBytes + ciphertextBytes);
    for (const part of this.#parts) ghash.update(part);
    const lengths = new DataView(new ArrayBuffer(BLOCK_BYTES));
    lengths.setBigUint64(0, 8n * BigInt(associatedBytes));
    lengths.setBigUint64(BLOCK_BYTES / 2, 8n * BigInt(ciphertextBytes));
    const hash = new DataView(ghash.update(new Uint8Array(lengths.buffer)).digest().buffer);
    return [0, 1, 2, 3].map((word) => hash.getInt32(word * WORD_BYTES));
  }

  /** noble's `digest` has already overwritten the table. */
  destroy() {}
}
