import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
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
    expect(faultsOf(scalar(SM2_ORDER - 2n)).join()).not.toContain('above');
  });

  it('EC-43 is refused with equal bytes, with fewer than 16 distinct bytes, and with equal steps', () => {
    expect(faultsOf('5a'.repeat(32))).toEqual([
      'has fewer than 16 distinct bytes',
      'has equal steps from byte to byte',
      'repeats after 1, 2, 4, 8 or 16 bytes',
      'has 8 equal bytes in a row',
      'is text: every byte is printable ASCII',
    ]);
    const fifteen = Array.from({ length: 32 }, (_, i) => 10 + ((i * 7) % 15));
    expect(new Set(fifteen).size).toBe(15);
    expect(faultsOf(bytesToHex(fifteen))).toEqual([
      'has fewer than 16 distinct bytes',
      'has steps from byte to byte that repeat',
    ]);
    fifteen[4] = 200;
    expect(parsePrivateKey(bytesToHex(fifteen)).kind).toBe('usable');

    fc.assert(
      fc.property(fc.nat({ max: 255 }), fc.nat({ max: 255 }), (first, step) => {
        const even = bytesToHex(Array.from({ length: 32 }, (_, i) => (first + i * step) & 0xff));
        expect(faultsOf(even)).toContain('has equal steps from byte to byte');
      }),
      { numRuns: cases(50) },
    );
  });

  it('ENV-10 is refused when it is a text: "ThisIsMyVerySecretKeyForTesting!"', () => {
    const text = 'ThisIsMyVerySecretKeyForTesting!';
    expect(faultsOf(Buffer.from(text).toString('hex'))).toEqual(['is text: every byte is printable ASCII']);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0x20, max: 0x7e }), { minLength: 32, maxLength: 32 }), (bytes) => {
        expect(faultsOf(bytesToHex(bytes))).toContain('is text: every byte is printable ASCII');
        for (const other of [0x1f, 0x7f, 0x80]) {
          const key = parsePrivateKey(bytesToHex(bytes.with(17, other)));
          expect(key.kind === 'refused' ? key.faults.join() : '').not.toContain('printable');
        }
      }),
      { numRuns: 25 },
    );
  });

  it('ENV-10 is refused within 2^192 of 0 and of n: 16 zero bytes and 16 random ones', () => {
    const near = 'is within 2^192 of 0 or of n, the order of the SM2 group';
    const padded = '00'.repeat(16) + randomBytes(16).toString('hex');
    expect(faultsOf(padded)).toEqual(expect.arrayContaining([near, 'has 8 equal bytes in a row']));
    fc.assert(
      fc.property(fc.bigInt({ min: 2n, max: (1n << 192n) - 1n }), (distance) => {
        for (const key of [distance, SM2_ORDER - distance]) expect(faultsOf(scalar(key))).toContain(near);
      }),
      { numRuns: 25 },
    );
    const edge = 1n << 192n;
    for (const key of [edge, SM2_ORDER - edge]) expect(faultsOf(scalar(key)).join()).not.toContain('2^192');
  });

  it('ENV-10 is refused with a period of 1, 2, 4, 8 or 16 bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 4, 8, 16), fc.uint8Array({ minLength: 16, maxLength: 16 }), (period, bytes) => {
        const key = Array.from({ length: 32 }, (_, i) => bytes[i % period]!);
        expect(faultsOf(bytesToHex(key))).toEqual(expect.arrayContaining(['repeats after 1, 2, 4, 8 or 16 bytes']));
      }),
      { numRuns: cases(50) },
    );
  });

  it('ENV-10 is refused with eight equal bytes in a row, wherever they are, and not with seven', () => {
    const random = randomBytes(32);
    for (let at = 0; at <= 24; at++) {
      const eight = Buffer.from(random).fill(0x5a, at, at + 8);
      expect(faultsOf(eight.toString('hex'))).toContain('has 8 equal bytes in a row');
    }
    const seven = Buffer.from('6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a', 'hex');
    expect(parsePrivateKey(seven.toString('hex')).kind).toBe('usable');
    expect(parsePrivateKey(Buffer.from(seven).fill(0x5a, 3, 10).toString('hex')).kind).toBe('usable');
  });

  describe('made of runs', () => {
    const count = (first: number, length: number, step = 1) =>
      Array.from({ length }, (_, i) => (first + i * step) & 0xff);
    const RUNS = 'consists of at most 4 rising or falling runs';
    const REPEAT = 'has steps from byte to byte that repeat';

    it.each<[string, number[], string]>([
      ['two counts', [...count(1, 16), ...count(0x41, 16)], RUNS],
      ['two counts of other lengths', [...count(1, 11), ...count(0x80, 21)], RUNS],
      ['up and down', [...count(0x10, 16, 3), ...count(0xf0, 16, -5)], RUNS],
      ['two tables', [...count(0, 16, 0x11), ...count(0x0f, 15, 0x0f), 0xf1], RUNS],
      ['four runs', [...count(3, 7), ...count(0x90, 9, -2), ...count(0x20, 6, 4), ...count(0x70, 10, 7)], RUNS],
      ['a count in equal blocks', [1, 0x11, 0x21, 0x31].flatMap((first) => count(first, 8)), REPEAT],
      ['two counts by turns', count(1, 16).flatMap((byte) => [byte, byte + 0x40]), REPEAT],
      ['three bytes again and again', count(0, 32).map((i) => 7 * (i % 3) + i), REPEAT],
    ])('ENV-10 is refused: %s', (_what, bytes, fault) => {
      expect(bytes).toHaveLength(32);
      expect(faultsOf(bytesToHex(bytes))).toContain(fault);
    });

    it('ENV-10 is accepted with five runs', () => {
      const five = [0xc0, 0xa1, 0x72, 0x43, 0x14].flatMap((first, i) => count(first, i === 4 ? 8 : 6, 3 + i * 2));
      expect(five).toHaveLength(32);
      expect(parsePrivateKey(bytesToHex(five)).kind).toBe('usable');
    });
  });

  it('ENV-10 is accepted if it is random: one in 5 · 10^13 is refused', () => {
    // Fewer than 16 distinct bytes: exactly, by the number of distinct bytes after each draw.
    let byDistinct = [1];
    for (let drawn = 0; drawn < 32; drawn++) {
      byDistinct = Array.from(
        { length: drawn + 2 },
        (_, k) => ((byDistinct[k] ?? 0) * k + (byDistinct[k - 1] ?? 0) * (257 - k)) / 256,
      );
    }
    const few = byDistinct.slice(0, 16).reduce((sum, one) => sum + one);
    // At most four runs: a bound, by the lengths of four. `rising[n]`: n bytes none of which is below the one before.
    const rising = [1];
    for (let n = 1; n <= 32; n++) rising[n] = (rising[n - 1]! * (255 + n)) / n / 256;
    let runs = 0;
    for (let a = 1; a < 30; a++)
      for (let b = 1; a + b < 31; b++)
        for (let c = 1; a + b + c < 32; c++)
          runs += 16 * rising[a]! * rising[b]! * rising[c]! * rising[32 - a - b - c]!;
    const chance = few + runs + (95 / 256) ** 32 + 25 * 256 ** -7 + 2 ** -63 + 16 * 2 ** -128;
    expect(1 / chance).toBeGreaterThan(5e13);
    for (let i = 0; i < 200; i++) expect(parsePrivateKey(hex(randomSm2Scalar())!).kind).toBe('usable');
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
      'GB/T 32918.2, A.2, ephemeral': '6cb28d99385c175c94f94e934817663fc176d925dd72b727260dbaae1fb2f96f',
      'GB/T 32918.3, A.2, A, ephemeral': '83a2c9c8b96e5af70bd480b472409a9a327257f1ebb73f5b073354b248668563',
      'GB/T 32918.3, A.2, B, ephemeral': '33fe21940342161c55619c4a0c060293d543c80af19748ce176d83477de71c80',
      'GB/T 32918.4, A.2, ephemeral': '4c62eefd6ecfc2b95b92fd6c3d9575148afa17425546d49018e5388d49dd7b4f',
      'GB/T 32918.2, A.3 (F2m-257)': '771ef3dbff5f1cdc32b9c572930476191998b2bf7cb981d7f5b39202645f0931',
      'GB/T 32918.2, A.3, ephemeral': '36cd79fc8e24b7357a8a7b4a46d454c397703d6498158c605399b341ada186d6',
      'GB/T 32918.3, A.3, A': '4813903d254f2c20a94bc5704238496954bb5279f861952ef2c5298e84d2ceaa',
      'GB/T 32918.3, A.3, B': '08f41bae0922f47c212803fe681ad52b9bf28a35e1cd0ec273a2cf813e8fd1dc',
      'GB/T 32918.3, A.3, A, ephemeral': '54a3d6673ff3a6bd6b02ebb164c2a3af6d4a4906229d9bfce68cc366a2e64ba4',
      'GB/T 32918.3, A.3, B, ephemeral': '1f21933387bef781d0a8f7fd708c5ae0a56ee3f423dbc2fe5bdf6f068c53f7ad',
      'GB/T 32918.4, A.3': '56a270d17377aa9a367cfa82e46fa5267713a9b91101d0777b07fce018c757eb',
      'GB/T 32918.4, A.3, ephemeral': '6d3b497153e3e92524e5c122682dbdc8705062e20b917a5f8fcdb8ee4c66663d',
    };
    for (const [source, key] of Object.entries(standard)) {
      expect(faultsOf(key), source).toEqual(['is printed in a standard or in published test vectors']);
      expect(faultsOf(scalar(SM2_ORDER - BigInt(`0x${key}`))), source).toHaveLength(1);
    }
  });

  const botan = sharedVectors<{ priv: string }>('sm2_enc_standard_and_botan_invalid.json');
  it.skipIf(lacks('shared-vectors'))(
    'EC-43 is refused if it is printed in the vectors beside the repository (../shared/vectors)',
    () => {
      const keys = new Set(botan!.map(({ priv }) => priv));
      expect(keys.size).toBe(2);
      for (const key of keys) expect(faultsOf(key)).toHaveLength(1);
    },
  );
});
