import { createCipheriv, createDecipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
import {
  DecryptionFailedError,
  sm4,
  sm4GcmOpen,
  sm4GcmOpenInTurns,
  sm4GcmSeal,
  sm4GcmSealInTurns,
  sm4gcm,
} from '../../src/gm/index.js';
import { bytes, hex, ownVectors, sharedVectors, withBitFlipped } from '../vector-files.js';
import { referenceSm4Gcm } from './reference-gcm.js';

interface GcmVector {
  readonly name: string;
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly pt: string;
  readonly ct: string;
  readonly tag: string;
  readonly valid: boolean;
}

/** RFC 8998, A.1. */
const example: GcmVector = {
  name: 'RFC 8998, A.1',
  key: '0123456789abcdeffedcba9876543210',
  iv: '00001234567800000000abcd',
  aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
  pt: 'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa',
  ct: '17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d',
  tag: '83de3541e4c2b58177e065a9bf7b62ec',
  valid: true,
};
const key = bytes(example.key);
const iv = bytes(example.iv);
const aad = bytes(example.aad);
const sealed = bytes(example.ct + example.tag);

function expectVectorHolds(vector: GcmVector): void {
  const [key, iv, aad] = [bytes(vector.key), bytes(vector.iv), bytes(vector.aad)];
  const sealed = bytes(vector.ct + vector.tag);
  if (vector.iv.length !== 24) {
    // Valid by the standard, but refused here: the envelope has 96-bit IVs only.
    expect(sm4GcmOpen(key, iv, aad, sealed), vector.name).toBeNull();
    expect(() => sm4GcmSeal(key, iv, aad, bytes(vector.pt)), vector.name).toThrow(RangeError);
  } else if (vector.valid) {
    expect(hex(sm4GcmSeal(key, iv, aad, bytes(vector.pt))), vector.name).toBe(vector.ct + vector.tag);
    expect(hex(sm4GcmOpen(key, iv, aad, sealed)), vector.name).toBe(vector.pt);
  } else {
    expect(sm4GcmOpen(key, iv, aad, sealed), vector.name).toBeNull();
  }
}

describe('SM4-GCM', () => {
  it('EC-54 seals and opens the example printed in RFC 8998, A.1', () => {
    expectVectorHolds(example);
    expect(hex(sm4gcm(key, iv, aad).encrypt(bytes(example.pt)))).toBe(example.ct + example.tag);
    expect(hex(sm4gcm(key, iv, aad).decrypt(sealed))).toBe(example.pt);
  });

  it('EC-54 agrees with Botan on the interoperability vectors', () => {
    const vectors = ownVectors<GcmVector>('sm4_gcm_botan_interop.json');
    expect(vectors).toHaveLength(10);
    vectors.forEach(expectVectorHolds);
  });

  const wycheproof = sharedVectors<GcmVector>('sm4_gcm_wycheproof.json');
  it.skipIf(lacks('shared-vectors'))('EC-54 holds for all 104 vectors of Wycheproof (../shared/vectors)', () => {
    expect(wycheproof).toHaveLength(104);
    wycheproof!.forEach(expectVectorHolds);
  });

  const botan = sharedVectors<GcmVector>('sm4_gcm_botan.json');
  it.skipIf(lacks('shared-vectors'))("EC-54 holds for Botan's own vectors (../shared/vectors)", () => {
    expect(botan).toHaveLength(3);
    botan!.forEach(expectVectorHolds);
  });

  const modes = sharedVectors<GcmVector & { mode: string }>('sm4_modes_openssl_rfc8998.json');
  it.skipIf(lacks('shared-vectors'))("EC-54 holds for OpenSSL's SM4-GCM vector (../shared/vectors)", () => {
    const vectors = modes!.filter(({ mode }) => mode === 'SM4-GCM');
    expect(vectors).toHaveLength(1);
    vectors.forEach(expectVectorHolds);
  });

  const anyBytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });
  const fixed = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

  it('agrees with a bitwise reference over OpenSSL’s block cipher, for any length of data and associated data', () => {
    fc.assert(
      fc.property(fixed(16), fixed(12), anyBytes(100), anyBytes(300), (key, iv, aad, plaintext) => {
        const expected = referenceSm4Gcm(key, iv, aad, plaintext);
        expect(hex(sm4GcmSeal(key, iv, aad, plaintext))).toBe(hex(expected));
      }),
      { numRuns: cases(150) },
    );
  });

  it.skipIf(lacks('sm4-of-node'))('encrypts long messages as OpenSSL’s SM4-CTR from counter 2 does', () => {
    for (const length of [4095, 4096, 65_551, 90_000]) {
      const plaintext = Uint8Array.from({ length }, (_, i) => (i * 31) >>> 3);
      const counter = Buffer.concat([iv, Buffer.from('00000002', 'hex')]);
      const expected = createCipheriv('sm4-ctr', key, counter).update(plaintext);
      const actual = sm4GcmSeal(key, iv, aad, plaintext);
      expect(Buffer.compare(actual.subarray(0, length), expected), `${length} bytes`).toBe(0);
      expect(Buffer.compare(sm4GcmOpen(key, iv, aad, actual)!, plaintext), `${length} bytes`).toBe(0);
    }
  });

  it.skipIf(lacks('sm4-gcm-of-node'))('agrees with SM4-GCM of node:crypto, where Node.js has it', () => {
    const plaintext = Uint8Array.from({ length: 1000 }, (_, i) => i);
    const sealed = sm4GcmSeal(key, iv, aad, plaintext);
    const node = createDecipheriv('sm4-gcm' as 'aes-128-gcm', key, iv)
      .setAAD(aad)
      .setAuthTag(sealed.subarray(-16));
    expect(hex(Buffer.concat([node.update(sealed.subarray(0, -16)), node.final()]))).toBe(hex(plaintext));
  });

  it('EC-18 opens nothing with a flipped bit in the tag, or at the start, middle or end of the ciphertext', () => {
    const ciphertextBits = 8 * (sealed.length - 16);
    const bits = [0, 1, ciphertextBits / 2, ciphertextBits - 1];
    for (let bit = ciphertextBits; bit < 8 * sealed.length; bit++) bits.push(bit);
    for (const bit of bits) expect(sm4GcmOpen(key, iv, aad, withBitFlipped(sealed, bit)), `bit ${bit}`).toBeNull();
    expect(sm4GcmOpen(key, iv, aad, sealed)).not.toBeNull();
  });

  it('EC-18 opens nothing of any length with one flipped bit of key, IV, associated data or message', () => {
    fc.assert(
      fc.property(
        fixed(16),
        fixed(12),
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        anyBytes(200),
        fc.constantFrom(0, 1, 2, 3),
        fc.nat(),
        (key, iv, aad, plaintext, where, position) => {
          const parts = [key, iv, aad, sm4GcmSeal(key, iv, aad, plaintext)] as const;
          expect(hex(sm4GcmOpen(...parts))).toBe(hex(plaintext));
          const target = parts[where]!;
          const changed = parts.map((part, i) =>
            i === where ? withBitFlipped(target, position % (8 * target.length)) : part,
          ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
          expect(sm4GcmOpen(...changed)).toBeNull();
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('EC-18 seals and opens in turns as in one call, and decrypts no changed message', async () => {
    const nextTurn = vi.fn(async () => {});
    for (const length of [0, 1, 15, 16, 17, 1000, 65_551]) {
      const plaintext = Uint8Array.from({ length }, (_, i) => (i * 31) >>> 3);
      const sealed = await sm4GcmSealInTurns(key, iv, aad, plaintext, nextTurn);
      expect(Buffer.compare(sealed, sm4GcmSeal(key, iv, aad, plaintext)), `${length} bytes`).toBe(0);
      const opened = await sm4GcmOpenInTurns(key, iv, aad, sealed, nextTurn);
      expect(Buffer.compare(opened!, plaintext), `${length} bytes`).toBe(0);
      expect(nextTurn).toHaveBeenCalledTimes(2);
      for (const bit of [0, 8 * length, 8 * sealed.length - 1]) {
        expect(await sm4GcmOpenInTurns(key, iv, aad, withBitFlipped(sealed, bit), nextTurn)).toBeNull();
      }
      expect(await sm4GcmOpenInTurns(key, iv, new Uint8Array(), sealed, nextTurn)).toBeNull();
      expect(await sm4GcmOpenInTurns(key, iv.subarray(1), aad, sealed, nextTurn)).toBeNull();
      expect(await sm4GcmOpenInTurns(key, iv, aad, sealed.subarray(0, 15), nextTurn)).toBeNull();
      // Only an authentic message has a second half.
      expect(nextTurn).toHaveBeenCalledTimes(2);
      nextTurn.mockClear();
    }
    await expect(sm4GcmSealInTurns(key, iv.subarray(1), aad, key, nextTurn)).rejects.toThrow(RangeError);
  });

  it('refuses a missing or short tag, and a bare tag of another message', () => {
    for (let length = 0; length < 16; length++) {
      expect(sm4GcmOpen(key, iv, aad, sealed.subarray(0, length)), `${length} bytes`).toBeNull();
      expect(() => sm4gcm(key, iv, aad).decrypt(sealed.subarray(0, length))).toThrow();
    }
    // A message without its tag, or with a part of it: the last 16 bytes are not its tag.
    for (const cut of [1, 4, 8, 16]) expect(sm4GcmOpen(key, iv, aad, sealed.subarray(0, -cut))).toBeNull();
    expect(sm4GcmOpen(key, iv, aad, sealed.subarray(-16))).toBeNull();
  });

  it('EC-21 refuses IVs of 0, 8, 11, 13 and 16 bytes, for sealing and for opening', () => {
    for (const length of [0, 8, 11, 13, 16]) {
      const iv = new Uint8Array(length).fill(1);
      expect(sm4GcmOpen(key, iv, aad, sealed), `${length} bytes`).toBeNull();
      expect(() => sm4GcmSeal(key, iv, aad, sealed)).toThrow(RangeError);
      expect(() => sm4gcm(key, iv, aad)).toThrow(RangeError);
    }
  });

  it('refuses keys of another length', () => {
    for (const length of [0, 8, 15, 17, 24, 32]) {
      expect(() => sm4gcm(new Uint8Array(length), iv)).toThrow(RangeError);
      expect(() => sm4GcmSeal(new Uint8Array(length), iv, aad, sealed)).toThrow(RangeError);
    }
  });

  it('seals once per instance, and opens with one error for every cause', () => {
    const cipher = sm4gcm(key, iv, aad);
    cipher.encrypt(new Uint8Array(3));
    expect(() => cipher.encrypt(new Uint8Array(3))).toThrow();
    const failure = (change: Uint8Array, otherAad = aad) => {
      try {
        return sm4gcm(key, iv, otherAad).decrypt(change);
      } catch (error) {
        return error;
      }
    };
    const wrongTag = failure(withBitFlipped(sealed, 8 * sealed.length - 1));
    expect(wrongTag).toBeInstanceOf(DecryptionFailedError);
    expect(failure(sealed, new Uint8Array())).toEqual(wrongTag);
    expect(failure(withBitFlipped(sealed, 0))).toEqual(wrongTag);
  });

  it('accepts views into larger buffers, and does not change its input', () => {
    const pool = new Uint8Array(200).fill(0xee);
    const place = (at: number, input: Uint8Array) => {
      pool.set(input, at);
      return pool.subarray(at, at + input.length);
    };
    const inputs = [place(1, key), place(21, iv), place(37, aad), place(63, sealed)] as const;
    const before = hex(pool);
    expect(hex(sm4GcmOpen(...inputs))).toBe(example.pt);
    expect(hex(pool)).toBe(before);
  });
});

describe('the hash subkey of SM4-GCM', () => {
  it('ENV-8 is overwritten after use: with it and one message, tags of other messages can be forged', () => {
    const subkey = hex(sm4(key).encryptBlock(new Uint8Array(16)));
    const written = new Set<ArrayBuffer>();
    let wasWritten = false;
    const { setInt32 } = DataView.prototype;
    const spy = vi.spyOn(DataView.prototype, 'setInt32').mockImplementation(function write(this: DataView, ...args) {
      setInt32.apply(this, args);
      wasWritten ||= hex(new Uint8Array(this.buffer as ArrayBuffer)) === subkey;
      written.add(this.buffer as ArrayBuffer);
    });
    const sealed = sm4GcmSeal(key, iv, aad, bytes(example.pt));
    const plaintext = sm4GcmOpen(key, iv, aad, sealed);
    spy.mockRestore();
    expect(hex(plaintext)).toBe(example.pt);
    expect(wasWritten).toBe(true);
    expect([...written].map((buffer) => hex(new Uint8Array(buffer)))).not.toContain(subkey);
  });
});
