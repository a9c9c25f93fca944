import { createECDH } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
import {
  DecryptionFailedError,
  isSm2PublicKey,
  randomSm2Scalar,
  SM2_ORDER,
  sm2Decrypt,
  sm2Encrypt,
  sm2Encryptor,
  sm2Open,
  sm2PublicKey,
  sm3,
} from '../../src/gm/index.js';
import { bytes, hex, ownVectors, sharedVectors, utf8, withBitFlipped } from '../vector-files.js';
import { fromDer } from './openssl.js';

/** GB/T 32918.5-2017, Annex C. */
const example = {
  privateKey: bytes('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8'),
  publicKey: bytes(
    '0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13',
  ),
  ephemeral: bytes('59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21'),
  message: utf8('encryption standard'),
  ciphertext: bytes(
    '0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0' +
      '59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766' +
      '21886ca989ca9c7d58087307ca93092d651efa',
  ),
};
const { privateKey, publicKey, ciphertext } = example;

const scalar = (value: bigint) => bytes(value.toString(16).padStart(64, '0'));
const P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn;

describe('SM2 encryption', () => {
  it('EC-54 encrypts and decrypts the example printed in GB/T 32918.5-2017, Annex C', () => {
    expect(hex(sm2PublicKey(privateKey))).toBe(hex(publicKey));
    expect(hex(sm2Encrypt(publicKey, example.message, example.ephemeral))).toBe(hex(ciphertext));
    expect(hex(sm2Open(privateKey, ciphertext))).toBe(hex(example.message));
    expect(hex(sm2Decrypt(privateKey, ciphertext))).toBe(hex(example.message));
  });

  it('EC-54 decrypts ciphertexts of Botan, and refuses the old order C1 C2 C3', () => {
    type Vector = { name: string; priv: string; pub: string; pt: string; ct_c1c3c2: string; ct_c1c2c3: string };
    const vectors = ownVectors<Vector>('sm2_enc_botan_interop.json');
    expect(vectors).toHaveLength(36);
    for (const { name, priv, pub, pt, ct_c1c3c2, ct_c1c2c3 } of vectors) {
      expect(hex(sm2PublicKey(bytes(priv))), name).toBe(pub);
      expect(hex(sm2Open(bytes(priv), bytes(ct_c1c3c2))), name).toBe(pt);
      expect(sm2Open(bytes(priv), bytes(ct_c1c2c3)), name).toBeNull();
    }
  });

  it('encrypts to a prepared key as to a plain one, with a new scalar each time', () => {
    const encrypt = sm2Encryptor(publicKey, true);
    expect(hex(encrypt(example.message, example.ephemeral))).toBe(hex(ciphertext));
    const [first, second] = [encrypt(example.message), encrypt(example.message)];
    expect(hex(first)).not.toBe(hex(second));
    expect(hex(sm2Open(privateKey, first))).toBe(hex(example.message));
    expect(hex(sm2Open(privateKey, second))).toBe(hex(example.message));
  });

  it('ENV-8 computes d·G as OpenSSL does, and opens its own ciphertexts, for edge and random scalars', () => {
    const edges = [SM2_ORDER - 1n, SM2_ORDER - 2n, SM2_ORDER / 2n, (1n << 128n) - 1n, 0x1111111111111111n];
    const small = [1n, 2n, 3n, ...Array.from({ length: 19 }, (_, i) => 15n + BigInt(i))];
    const powers = Array.from({ length: 16 }, (_, i) => 1n << (16n * BigInt(i)));
    const random = Array.from({ length: 10 }, () => BigInt(`0x${hex(randomSm2Scalar())}`));
    const oracle = createECDH('SM2');
    for (const value of [...edges, ...small, ...powers, 1n << 255n, ...random]) {
      const d = scalar(value);
      const point = sm2PublicKey(d);
      oracle.setPrivateKey(d);
      expect(hex(point), `d = ${value}`).toBe(oracle.getPublicKey('hex'));
      // The scalar is also the ephemeral one, so that both multiplications of an encryption use it.
      expect(hex(sm2Open(d, sm2Encrypt(point, example.message, d))), `d = ${value}`).toBe(hex(example.message));
    }
  });

  it('opens its own ciphertexts of any length, and none with a flipped bit', () => {
    const encrypt = sm2Encryptor(publicKey, true);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200, size: 'max' }), fc.nat(), (message, position) => {
        // One mask in 256 for a message of one byte is zero. The encryption draws again then.
        const sealed = encrypt(message);
        expect(sealed).toHaveLength(97 + message.length);
        expect(hex(sm2Open(privateKey, sealed))).toBe(hex(message));
        expect(sm2Open(privateKey, withBitFlipped(sealed, position % (8 * sealed.length)))).toBeNull();
      }),
      { numRuns: cases(40) },
    );
  });
});

describe('SM2 refusals', () => {
  const inCiphertext = (point: Uint8Array) => {
    const changed = Uint8Array.from(ciphertext);
    changed.set(point);
    return changed;
  };
  const withFirstByte = (byte: number) => inCiphertext(Uint8Array.of(byte));

  it('refuses points with another first byte, including hybrid and compressed forms', () => {
    for (const byte of [0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x84, 0xff]) {
      expect(isSm2PublicKey(withFirstByte(byte).subarray(0, 65)), `${byte}`).toBe(false);
      expect(sm2Open(privateKey, withFirstByte(byte)), `${byte}`).toBeNull();
    }
    const compressed = Uint8Array.of(0x02 | (publicKey[64]! & 1), ...publicKey.subarray(1, 33));
    expect(isSm2PublicKey(compressed)).toBe(false);
    expect(() => sm2Encryptor(compressed)).toThrow(RangeError);
  });

  it('refuses coordinates from p up, even if they are congruent to a point of the curve', () => {
    // The point with x = 7: x + p is below 2^256 too.
    const y = 0xed9199673d2062a312ed20561453e9ee6589dedc6dd54f5109d0f0dd14008e42n;
    const point = (x: bigint, y: bigint) => Uint8Array.of(4, ...scalar(x), ...scalar(y));
    expect(isSm2PublicKey(point(7n, y))).toBe(true);
    for (const bad of [point(7n + P, y), point(P, y), point(7n, P), point((1n << 256n) - 1n, y)]) {
      expect(isSm2PublicKey(bad)).toBe(false);
      expect(sm2Open(privateKey, inCiphertext(bad))).toBeNull();
    }
  });

  it('refuses points off the curve, (0, 0), and points of the draft’s test curve', () => {
    const off = withBitFlipped(publicKey, 8 * 65 - 1);
    const origin = Uint8Array.of(4, ...new Uint8Array(64));
    const testCurve = bytes(
      '04435b39cca8f3b508c1488afc67be491a0f7ba07e581a0e4849a5cf70628a7e0a75ddba78f15feecb4c7895e2c1cdf5fe01debb2cdbadf45399ccf77bba076a42',
    );
    for (const bad of [off, origin, testCurve]) {
      expect(isSm2PublicKey(bad)).toBe(false);
      expect(sm2Open(privateKey, inCiphertext(bad))).toBeNull();
      expect(() => sm2Encrypt(bad, example.message)).toThrow(RangeError);
    }
  });

  it('refuses ciphertexts without a message, and points of another length', () => {
    for (let length = 0; length <= 97; length++) expect(sm2Open(privateKey, ciphertext.subarray(0, length))).toBeNull();
    for (const length of [0, 1, 33, 64, 66]) {
      const point = new Uint8Array(length).fill(4);
      expect(isSm2PublicKey(point)).toBe(false);
      expect(() => sm2Encryptor(point)).toThrow(RangeError);
    }
  });

  it('EC-24 refuses an empty message, for encryption and decryption', () => {
    expect(() => sm2Encrypt(publicKey, new Uint8Array())).toThrow(RangeError);
    expect(sm2Open(privateKey, ciphertext.subarray(0, 97))).toBeNull();
  });

  it('gives one error for every cause', () => {
    const failure = (input: Uint8Array) => {
      try {
        return sm2Decrypt(privateKey, input);
      } catch (error) {
        return error;
      }
    };
    const wrongC3 = failure(withBitFlipped(ciphertext, 8 * 65));
    expect(wrongC3).toBeInstanceOf(DecryptionFailedError);
    const others = [
      ciphertext.subarray(0, 50),
      withFirstByte(6),
      withBitFlipped(ciphertext, 8 * 64),
      new Uint8Array(113),
    ];
    for (const input of others) expect(failure(input)).toEqual(wrongC3);
  });

  describe('a mask of zeros (GB/T 32918.4-2016, 6.1 A5 and 7.1 B4)', () => {
    // With the key of Annex C, the first byte of the mask is zero for the ephemeral scalar 470.
    const unlucky = scalar(470n);
    const message = Uint8Array.of(0x2a);

    it('is refused with a fixed scalar, and drawn again otherwise', () => {
      expect(() => sm2Encrypt(publicKey, message, unlucky)).toThrow(RangeError);

      const real = crypto.getRandomValues.bind(crypto);
      const draws: number[] = [];
      const spy = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
        const target = array as Uint8Array;
        if (draws.push(target.length) > 1) return real(array);
        target.set(unlucky);
        return array;
      });
      const sealed = sm2Encrypt(publicKey, message);
      spy.mockRestore();
      expect(draws[0]).toBe(32);
      expect(hex(sealed.subarray(0, 65))).not.toBe(hex(sm2PublicKey(unlucky)));
      expect(hex(sm2Open(privateKey, sealed))).toBe(hex(message));
    });

    it('is refused in a ciphertext even if C3 is right', () => {
      // k·P = (k·d)·G: the shared point is a multiple of G.
      const shared = sm2PublicKey(scalar((470n * BigInt(`0x${hex(privateKey)}`)) % SM2_ORDER)).subarray(1);
      const c3 = sm3(Uint8Array.of(...shared.subarray(0, 32), ...message, ...shared.subarray(32)));
      const crafted = Uint8Array.of(...sm2PublicKey(unlucky), ...c3, ...message);
      expect(sm2Open(privateKey, crafted)).toBeNull();

      // The same construction opens if the mask is not zero, so the mask is what is refused.
      const twoBytes = sm2Encrypt(publicKey, Uint8Array.of(0x2a, 0x2b), unlucky);
      expect(twoBytes[97]).toBe(0x2a);
      expect(hex(sm2Open(privateKey, twoBytes))).toBe('2a2b');
    });
  });

  type Hostile = { name: string; priv: string; ct_der: string; ct_c1c3c2?: string; pt?: string; valid: boolean };
  const hostile = sharedVectors<Hostile>('sm2_enc_standard_and_botan_invalid.json');
  it.skipIf(lacks('shared-vectors'))(
    'EC-54 refuses all hostile texts of the shared vectors (../shared/vectors)',
    () => {
      expect(hostile).toHaveLength(21);
      let decoded = 0;
      for (const { name, priv, ct_der, ct_c1c3c2, pt, valid } of hostile!) {
        if (valid) {
          expect(hex(sm2Open(bytes(priv), bytes(ct_c1c3c2!))), name).toBe(pt);
          continue;
        }
        expect(sm2Open(bytes(priv), bytes(ct_der)), name).toBeNull();
        // As C1 C3 C2, unless the fault is one of the DER encoding, which is not ours.
        const raw = fromDer(bytes(ct_der));
        if (raw === null) continue;
        decoded++;
        expect(sm2Open(bytes(priv), raw), name).toBeNull();
      }
      expect(decoded).toBeGreaterThanOrEqual(12);
    },
  );

  const testCurve = sharedVectors<{ name: string; priv: string; ct_der: string }>('sm2_enc_draft-shen_test_curve.json');
  it.skipIf(lacks('shared-vectors'))('refuses the texts of the draft’s test curve (../shared/vectors)', () => {
    expect(testCurve).toHaveLength(5);
    for (const { name, priv, ct_der } of testCurve!) {
      expect(sm2Open(bytes(priv), fromDer(bytes(ct_der))!), name).toBeNull();
    }
  });
});

describe('SM2 scalars', () => {
  it('are drawn again if they are 0 or from n up', () => {
    const draws = [0n, SM2_ORDER, (1n << 256n) - 1n, SM2_ORDER - 1n].map(scalar);
    expect(hex(randomSm2Scalar(() => draws.shift()!))).toBe(hex(scalar(SM2_ORDER - 1n)));
    expect(hex(randomSm2Scalar(() => scalar(1n)))).toBe(hex(scalar(1n)));
  });

  it('are refused at 0, from n up and at another length, without their value in the message', () => {
    const bad = [scalar(0n), scalar(SM2_ORDER), scalar((1n << 256n) - 1n), privateKey.subarray(1), new Uint8Array(33)];
    for (const value of bad) {
      for (const use of [
        () => sm2PublicKey(value),
        () => sm2Open(value, ciphertext),
        () => sm2Encrypt(publicKey, example.message, value),
      ]) {
        expect(use).toThrow(RangeError);
        expect(use).not.toThrow(hex(value)!.slice(0, 16));
        expect(use).not.toThrow(BigInt(`0x${hex(value)}`).toString());
      }
    }
  });
});
