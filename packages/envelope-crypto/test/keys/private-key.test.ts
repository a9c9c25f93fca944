import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomSm2Scalar, SM2_ORDER } from '../../src/gm/index.js';
import { parsePrivateKey } from '../../src/keys/private-key.js';
import { hex, sharedVectors } from '../vector-files.js';
import envelopeVectors from '../vectors/envelope_v1.json' with { type: 'json' };
import interopVectors from '../vectors/sm2_enc_botan_interop.json' with { type: 'json' };

const scalar = (value: bigint) => value.toString(16).padStart(64, '0');
const bytesToHex = (bytes: ArrayLike<number>) => Buffer.from(Array.from(bytes)).toString('hex');

/** The faults of a key that must be refused. None may show the key or a part of it. */
function faultsOf(text: string): readonly string[] {
  const parsed = parsePrivateKey(text);
  if (parsed.kind === 'usable') throw new Error('the key was taken');
  for (const fault of parsed.faults) {
    for (let i = 0; i + 8 <= text.length; i++) expect(fault).not.toContain(text.slice(i, i + 8));
  }
  return parsed.faults;
}

describe('a private key', () => {
  it('ENV-3 is accepted if it is random, in upper or lower case, with its public key', () => {
    const key = hex(randomSm2Scalar())!;
    for (const text of [key, key.toUpperCase()]) {
      const parsed = parsePrivateKey(text);
      if (parsed.kind === 'refused') throw new Error(parsed.faults.join());
      expect(hex(parsed.privateKey)).toBe(key);
      expect(hex(parsed.publicKey)).toMatch(/^04[0-9a-f]{128}$/);
    }
  });

  it('EC-43 is refused with 63 or 65 characters, empty, with other characters, or with white space', () => {
    const key = hex(randomSm2Scalar())!;
    expect(faultsOf('')).toEqual(['has 0 characters instead of 64']);
    expect(faultsOf(key.slice(1))).toEqual(['has 63 characters instead of 64']);
    expect(faultsOf(`${key}0`)).toEqual(['has 65 characters instead of 64']);
    expect(faultsOf(`${key.slice(0, 63)}g`)).toEqual(['has characters that are not hexadecimal']);
    expect(faultsOf(`0x${key.slice(2)}`)).toEqual(['has characters that are not hexadecimal']);
    expect(faultsOf(`${key.slice(1)}\n`)).toEqual(['has characters that are not hexadecimal']);
    expect(faultsOf(` ${key}`)).toEqual(['has 65 characters instead of 64', 'has characters that are not hexadecimal']);
    const noText = parsePrivateKey(undefined as unknown as string);
    expect(noText).toEqual({ kind: 'refused', faults: ['is not a string'] });
  });

  it('EC-43 is refused at 0, n − 1, n, n + 1 and 2^256 − 1', () => {
    expect(faultsOf(scalar(0n))).toContain('is zero');
    for (const value of [SM2_ORDER - 1n, SM2_ORDER, SM2_ORDER + 1n, (1n << 256n) - 1n]) {
      expect(faultsOf(scalar(value))).toContain('is above n − 2, n being the order of the SM2 group');
    }
    expect(parsePrivateKey(scalar(SM2_ORDER - 2n)).kind).toBe('usable');
  });

  it('EC-43 is refused with equal bytes, with fewer than 16 distinct bytes, and with equal steps', () => {
    expect(faultsOf('5a'.repeat(32))).toEqual([
      'has fewer than 16 distinct bytes',
      'has equal steps from byte to byte',
    ]);
    const fifteen = Array.from({ length: 32 }, (_, i) => 10 + ((i * 7) % 15));
    expect(new Set(fifteen).size).toBe(15);
    expect(faultsOf(bytesToHex(fifteen))).toEqual(['has fewer than 16 distinct bytes']);
    fifteen[4] = 200;
    expect(parsePrivateKey(bytesToHex(fifteen)).kind).toBe('usable');

    fc.assert(
      fc.property(fc.nat({ max: 255 }), fc.nat({ max: 255 }), (first, step) => {
        const even = bytesToHex(Array.from({ length: 32 }, (_, i) => (first + i * step) & 0xff));
        expect(faultsOf(even)).toContain('has equal steps from byte to byte');
      }),
      { numRuns: 50 },
    );
  });

  it('EC-43 is refused when it is printed in the published vectors', () => {
    const published = [
      ...envelopeVectors.keys.map(({ privateKey }) => privateKey),
      ...new Set(interopVectors.vectors.map(({ priv }) => priv)),
    ];
    expect(published).toHaveLength(9);
    for (const key of published)
      expect(faultsOf(key)).toEqual(['is printed in a standard or in published test vectors']);
  });

  it('EC-43 is refused when it is printed in a standard, and so is its negative', () => {
    const standard = {
      'GB/T 32918.5-2017, Annexes A and C': '3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8',
      'Annex C, ephemeral': '59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21',
      'Annex B, A': '81eb26e941bb5af16df116495f90695272ae2cd63d6c4ae1678418be48230029',
      'Annex B, B': '785129917d45a9ea5437a59356b82338eaadda6ceb199088f14ae10defa229b5',
      'Annex B, A, ephemeral': 'd4de15474db74d06491c440d305e012400990f3e390c7e87153c12db2ea60bb3',
      'Annex B, B, ephemeral': '7e07124814b309489125eaed101113164ebf0f3458c5bd88335c1f9d596243d6',
      'draft-shen-sm2-ecdsa, signing': '128b2fa8bd433c6c068c8d803dff79792a519a55171b1b650c23661d15897263',
      'draft-shen-sm2-ecdsa, encryption': '1649ab77a00637bd5e2efe283fbf353534aa7f7cb89463f208ddbc2920bb0da0',
      'draft-shen-sm2-ecdsa, exchange, A': '6fcba2ef9ae0ab902bc3bde3ff915d44ba4cc78f88e2f8e7f8996d3b8cceedee',
      'draft-shen-sm2-ecdsa, exchange, B': '5e35d7d3f3c54dbac72e61819e730b019a84208ca3a35e4c2e353dfccb2a3b53',
    };
    for (const [source, key] of Object.entries(standard)) {
      expect(faultsOf(key), source).toEqual(['is printed in a standard or in published test vectors']);
      expect(faultsOf(scalar(SM2_ORDER - BigInt(`0x${key}`))), source).toHaveLength(1);
    }
  });

  const botan = sharedVectors<{ priv: string }>('sm2_enc_standard_and_botan_invalid.json');
  it.skipIf(botan === null)(
    'EC-43 is refused if it is printed in the vectors beside the repository (../shared/vectors)',
    () => {
      const keys = new Set(botan!.map(({ priv }) => priv));
      expect(keys.size).toBe(2);
      for (const key of keys) expect(faultsOf(key)).toHaveLength(1);
    },
  );
});
