import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
import { sm4 } from '../../src/gm/index.js';
import { bytes, hex, sharedVectors } from '../vector-files.js';

const key = bytes('0123456789abcdeffedcba9876543210');

describe('SM4', () => {
  it('EC-54 encrypts and decrypts the block printed in GB/T 32907-2016, A.1', () => {
    const ciphertext = sm4(key).encryptBlock(key);
    expect(hex(ciphertext)).toBe('681edf34d206965e86b3e94f536e4246');
    expect(hex(sm4(key).decryptBlock(ciphertext))).toBe(hex(key));
  });

  type Vector = { name: string; key: string; pt: string; ct: string; iterations?: number };
  const vectors = sharedVectors<Vector>('sm4_ecb_gbt32907_botan.json');
  it.skipIf(lacks('shared-vectors'))(
    'EC-54 gives all blocks of the shared vectors, both ways (../shared/vectors)',
    () => {
      expect(vectors).toHaveLength(24);
      for (const { name, key, pt, ct, iterations } of vectors!) {
        if (iterations !== undefined) continue; // A.2: sm4-million.system.test.ts
        const cipher = sm4(bytes(key));
        for (let i = 0; i < pt.length; i += 32) {
          const [plain, encrypted] = [pt.slice(i, i + 32), ct.slice(i, i + 32)];
          expect(hex(cipher.encryptBlock(bytes(plain))), name).toBe(encrypted);
          expect(hex(cipher.decryptBlock(bytes(encrypted))), name).toBe(plain);
        }
      }
    },
  );

  it.skipIf(lacks('sm4-of-node'))('agrees with OpenSSL on random keys and blocks', () => {
    const block = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(block, block, (key, plain) => {
        const openssl = createCipheriv('sm4-ecb', key, null).setAutoPadding(false);
        expect(hex(sm4(key).encryptBlock(plain))).toBe(openssl.update(plain).toString('hex'));
      }),
      { numRuns: cases(300) },
    );
  });

  it('refuses keys and blocks of any other length', () => {
    for (const length of [0, 15, 17, 32]) {
      expect(() => sm4(new Uint8Array(length))).toThrow(RangeError);
      expect(() => sm4(key).encryptBlock(new Uint8Array(length))).toThrow(RangeError);
      expect(() => sm4(key).decryptBlock(new Uint8Array(length))).toThrow(RangeError);
    }
  });
});
