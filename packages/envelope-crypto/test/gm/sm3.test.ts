import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
import { hkdfSm3, hmacSm3, sm3 } from '../../src/gm/index.js';
import { bytes, hex, sharedVectors, utf8 } from '../vector-files.js';

describe('SM3', () => {
  it('EC-54 gives the digests printed in GB/T 32905-2016, A.1 and A.2', () => {
    expect(hex(sm3(utf8('abc')))).toBe('66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0');
    expect(hex(sm3(utf8('abcd'.repeat(16))))).toBe('debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732');
  });

  const vectors = sharedVectors<{ name: string; msg: string; digest: string }>('sm3_gbt32905_botan.json');
  it.skipIf(lacks('shared-vectors'))('EC-54 gives all 139 digests of the shared vectors (../shared/vectors)', () => {
    expect(vectors).toHaveLength(139);
    for (const { name, msg, digest } of vectors!) expect(hex(sm3(bytes(msg))), name).toBe(digest);
  });

  it('agrees with OpenSSL on every length around its blocks', () => {
    const data = Uint8Array.from({ length: 200 }, (_, i) => i * 7);
    for (let length = 0; length <= data.length; length++) {
      const message = data.subarray(0, length);
      expect(hex(sm3(message)), `${length} bytes`).toBe(createHash('sm3').update(message).digest('hex'));
    }
  });

  it('gives the same digest for every split into updates, and after cloning', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 6 }), (parts) => {
        const whole = createHash('sm3').update(Buffer.concat(parts)).digest('hex');
        const hash = sm3.create();
        for (const part of parts) hash.update(part);
        const clone = hash.clone();
        expect(hex(hash.digest())).toBe(whole);
        expect(hex(clone.digest())).toBe(whole);
      }),
      { numRuns: cases(200) },
    );
  });

  it('refuses more input and a second digest after the first digest', () => {
    const hash = sm3.create().update(utf8('abc'));
    hash.digest();
    expect(() => hash.update(utf8('d'))).toThrow();
    expect(() => hash.digest()).toThrow();
  });
});

describe('HMAC-SM3 and HKDF-SM3', () => {
  it('EC-54 gives the HMAC printed in GM/T 0042-2015, D.3', () => {
    expect(hex(hmacSm3(utf8('Jefe'), utf8('what do ya want for nothing?')))).toBe(
      '2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882',
    );
  });

  const macs = sharedVectors<{ name: string; key: string; msg: string; tag: string }>('hmac_sm3_gmt0042.json');
  it.skipIf(lacks('shared-vectors'))('EC-54 gives all HMACs of the shared vectors (../shared/vectors)', () => {
    expect(macs).toHaveLength(4);
    for (const { name, key, msg, tag } of macs!) expect(hex(hmacSm3(bytes(key), bytes(msg))), name).toBe(tag);
  });

  type HkdfVector = {
    name: string;
    ikm: string;
    salt: string;
    info: string;
    size: number;
    okm: string;
    valid: boolean;
  };
  const derivations = sharedVectors<HkdfVector>('hkdf_sm3_gmssl.json');
  it.skipIf(lacks('shared-vectors'))(
    'EC-54 gives all 83 keys of the shared HKDF vectors and refuses 3 lengths (../shared/vectors)',
    () => {
      expect(derivations).toHaveLength(86);
      for (const { name, ikm, salt, info, size, okm, valid } of derivations!) {
        const derive = () => hex(hkdfSm3(bytes(ikm), bytes(salt), bytes(info), size));
        if (valid) expect(derive(), name).toBe(okm);
        else expect(derive, name).toThrow();
      }
    },
  );
});
