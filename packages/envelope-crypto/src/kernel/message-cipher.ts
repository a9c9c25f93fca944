import { GCM_IV_BYTES, GCM_TAG_BYTES, SM4_BLOCK_BYTES } from '../gm/index.js';
import type { EnvelopeSuite } from '../suites/index.js';
import type { Kernel } from './load-kernel.js';

/** SM4-GCM by the kernel. Messages of any length pass through its memory in chunks. */
export function createMessageCipher({
  functions,
  at,
  memory,
}: Kernel): Pick<EnvelopeSuite, 'sealMessage' | 'openMessage'> {
  const chunk = memory.subarray(at.CHUNK, at.CHUNK + at.CHUNK_BYTES);

  /** Copies the data into the chunk, part by part. */
  function forEachPart(data: Uint8Array, work: (bytes: number, offset: number) => void): void {
    for (let offset = 0; offset < data.length; offset += chunk.length) {
      const part = data.subarray(offset, offset + chunk.length);
      chunk.set(part);
      work(part.length, offset);
    }
  }

  function begin(key: Uint8Array, iv: Uint8Array, aad: Uint8Array): void {
    memory.set(key, at.MESSAGE_KEY);
    memory.set(iv, at.IV);
    functions.beginMessage();
    forEachPart(aad, functions.absorbAad);
  }

  const wipeAfter = (...parts: readonly Uint8Array[]) =>
    functions.wipeAll(Math.min(chunk.length, Math.max(...parts.map((part) => part.length))));

  return {
    sealMessage(key, iv, aad, plaintext) {
      checkKey(key);
      if (iv.length !== GCM_IV_BYTES) throw new RangeError(`SM4-GCM IV: expected 12 bytes, got ${iv.length}`);
      const sealed = new Uint8Array(plaintext.length + GCM_TAG_BYTES);
      try {
        begin(key, iv, aad);
        forEachPart(plaintext, (bytes, offset) => {
          functions.sealPart(bytes);
          sealed.set(chunk.subarray(0, bytes), offset);
        });
        functions.finishTag();
        sealed.set(memory.subarray(at.TAG, at.TAG + GCM_TAG_BYTES), plaintext.length);
        return sealed;
      } finally {
        wipeAfter(aad, plaintext);
      }
    },

    openMessage(key, iv, aad, ct) {
      if (iv.length !== GCM_IV_BYTES || ct.length < GCM_TAG_BYTES) return null;
      checkKey(key);
      const ciphertext = ct.subarray(0, -GCM_TAG_BYTES);
      try {
        begin(key, iv, aad);
        forEachPart(ciphertext, functions.absorbCiphertext);
        memory.set(ct.subarray(-GCM_TAG_BYTES), at.TAG);
        if (!functions.isTag()) return null;

        // Nothing was decrypted before this. A message that fits one chunk is still in memory, so exactly these bytes
        // are authentic.
        const plaintext = new Uint8Array(ciphertext.length);
        const openPart = (bytes: number, offset: number) => {
          functions.openPart(bytes);
          plaintext.set(chunk.subarray(0, bytes), offset);
        };
        if (ciphertext.length <= chunk.length) openPart(ciphertext.length, 0);
        else forEachPart(ciphertext, openPart);
        return plaintext;
      } finally {
        wipeAfter(aad, ciphertext);
      }
    },
  };
}

function checkKey(key: Uint8Array): void {
  if (key.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 key: expected 16 bytes, got ${key.length}`);
}
