import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sm2Encrypt } from '../../src/gm/index.js';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { decodeBase64url, encodeBase64url } from '../../src/wire/base64url.js';
import { kernelSuite } from '../kernel/kernel-suite.js';
import { bytes, hex, utf8, withBitFlipped } from '../vector-files.js';

interface Envelope {
  readonly ek: string;
  readonly iv: string;
  readonly ct: string;
}
interface Positive {
  readonly name: string;
  readonly kid: string;
  readonly nonce: string;
  readonly baseKey: string;
  readonly iv: string;
  readonly k: string | null;
  readonly plaintext: string | null;
  readonly plaintextHex?: string;
  readonly prk: string;
  readonly requestKey: string;
  readonly responseKey: string;
  readonly aad: string;
  readonly token: string | null;
  readonly envelope: Envelope;
  readonly response: { iv: string; plaintext: string; aad: string; envelope: Envelope } | null;
}
interface Vectors {
  readonly keys: readonly { kid: string; privateKey: string; publicKey: string }[];
  readonly positives: readonly Positive[];
}
const { keys, positives } = JSON.parse(
  readFileSync(new URL('../vectors/envelope_v1.json', import.meta.url), 'utf8'),
) as Vectors;
const keyOf = (kid: string) => keys.find((key) => key.kid === kid)!;
const plaintextOf = ({ plaintext, plaintextHex }: Positive) => (plaintextHex ? bytes(plaintextHex) : utf8(plaintext!));

const privateKey = bytes(keys[0]!.privateKey);
const publicKey = bytes(keys[0]!.publicKey);
const baseKey = bytes('000102030405060708090a0b0c0d0e0f');
const nonce = bytes('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff');

describe.each([
  { implementation: 'portable', suite: sm2Sm4GcmV1 },
  { implementation: 'kernel', suite: kernelSuite },
])('the suite sm2-sm4-gcm-v1, $implementation', ({ suite }) => {
  it('ENV-1 ENV-8 makes every step of the published envelopes, to the byte', () => {
    expect(positives.length).toBeGreaterThanOrEqual(47);
    for (const { kid, privateKey, publicKey } of keys)
      expect(hex(suite.publicKeyOf(bytes(privateKey))), kid).toBe(publicKey);
    for (const vector of positives) {
      const { name, kid, envelope, response } = vector;
      const key = keyOf(kid);
      const ek = decodeBase64url(envelope.ek)!;
      if (vector.k) {
        expect(hex(suite.wrapBaseKey(bytes(key.publicKey), bytes(vector.baseKey), bytes(vector.k))), name).toBe(
          hex(ek),
        );
      }
      expect(hex(suite.unwrapBaseKey(bytes(key.privateKey), ek)), name).toBe(vector.baseKey);

      const derived = suite.deriveKeys(bytes(vector.baseKey), decodeBase64url(vector.nonce)!, kid);
      expect(hex(derived.requestKey), name).toBe(vector.requestKey);
      expect(hex(derived.responseKey), name).toBe(vector.responseKey);

      const sealed = suite.sealMessage(derived.requestKey, bytes(vector.iv), utf8(vector.aad), plaintextOf(vector));
      expect(encodeBase64url(sealed), name).toBe(envelope.ct);
      const opened = suite.openMessage(derived.requestKey, bytes(vector.iv), utf8(vector.aad), sealed);
      expect(hex(opened), name).toBe(hex(plaintextOf(vector)));

      if (response) {
        const answer = suite.sealMessage(
          derived.responseKey,
          bytes(response.iv),
          utf8(response.aad),
          utf8(response.plaintext),
        );
        expect(encodeBase64url(answer), name).toBe(response.envelope.ct);
      }
      // Field 9 of the request's AAD is the token's hash.
      const authorization = vector.token === null ? '-' : encodeBase64url(suite.hashToken(vector.token));
      expect(vector.aad.split('\n')[8], name).toBe(authorization);
    }
  });

  it('EC-24 unwraps nothing that isn’t 113 bytes around a base key of 16: not 0, 1, 15, 17 or 32', () => {
    for (const length of [1, 15, 17, 32]) {
      expect(
        suite.unwrapBaseKey(privateKey, sm2Encrypt(publicKey, new Uint8Array(length).fill(7))),
        `${length}`,
      ).toBeNull();
    }
    const ek = suite.wrapBaseKey(publicKey, baseKey);
    expect(ek).toHaveLength(113);
    expect(hex(suite.unwrapBaseKey(privateKey, ek))).toBe(hex(baseKey));
    for (const length of [0, 1, 65, 97, 112])
      expect(suite.unwrapBaseKey(privateKey, ek.subarray(0, length))).toBeNull();
    for (const length of [0, 15, 17, 32]) {
      expect(() => suite.wrapBaseKey(publicKey, new Uint8Array(length))).toThrow(RangeError);
    }
  });

  it('EC-18 yields null, and never throws, for a wrapped key or a message with a flipped bit', () => {
    const ek = suite.wrapBaseKey(publicKey, baseKey);
    for (const bit of [0, 5, 8, 300, 519, 520, 775, 776, 903]) {
      expect(suite.unwrapBaseKey(privateKey, withBitFlipped(ek, bit)), `bit ${bit}`).toBeNull();
    }
    const { requestKey } = suite.deriveKeys(baseKey, nonce, 'k');
    const iv = new Uint8Array(12);
    const sealed = suite.sealMessage(requestKey, iv, utf8('aad'), utf8('message'));
    for (let bit = 0; bit < 8 * sealed.length; bit++) {
      expect(suite.openMessage(requestKey, iv, utf8('aad'), withBitFlipped(sealed, bit)), `bit ${bit}`).toBeNull();
    }
    expect(suite.openMessage(requestKey, iv, utf8('aae'), sealed)).toBeNull();
    for (const length of [0, 8, 11, 13, 16])
      expect(suite.openMessage(requestKey, new Uint8Array(length), utf8('aad'), sealed)).toBeNull();
  });

  it('EC-39 derives 2000 different keys for 1000 requests: request and response never share one', () => {
    const seen = new Set<string | null>();
    for (let i = 0; i < 1000; i++) {
      const { requestKey, responseKey } = suite.deriveKeys(
        Uint8Array.of(...baseKey.subarray(2), i >> 8, i),
        nonce,
        'k',
      );
      seen.add(hex(requestKey)).add(hex(responseKey));
    }
    expect(seen.size).toBe(2000);
  });

  it('EC-39 binds the derived keys to base key, nonce and key id', () => {
    const derive = (key: Uint8Array, salt: Uint8Array, keyId: string) =>
      hex(suite.deriveKeys(key, salt, keyId).requestKey);
    const variants = [
      derive(baseKey, nonce, 'a'),
      derive(withBitFlipped(baseKey, 127), nonce, 'a'),
      derive(baseKey, withBitFlipped(nonce, 0), 'a'),
      derive(baseKey, nonce, 'b'),
    ];
    expect(new Set(variants).size).toBe(variants.length);
  });

  it('wraps for two public keys in turn, and many times for one', () => {
    const other = bytes(keys[1]!.publicKey);
    for (const [key, secret] of [
      [publicKey, keys[0]!],
      [other, keys[1]!],
      [publicKey, keys[0]!],
      [publicKey, keys[0]!],
      [publicKey, keys[0]!],
    ] as const) {
      expect(hex(suite.unwrapBaseKey(bytes(secret.privateKey), suite.wrapBaseKey(key, baseKey)))).toBe(hex(baseKey));
    }
  });
});

describe('the implementations of the suite', () => {
  it('ENV-4 have nothing of Node in them: they run in browsers', () => {
    const folder = (name: string) =>
      readdirSync(new URL(`../../src/${name}/`, import.meta.url)).map((file) => `${name}/${file}`);
    const files = [...folder('gm'), ...folder('kernel'), ...folder('suites'), ...folder('wire')];
    expect(files.length).toBeGreaterThan(7);
    for (const file of files) {
      const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8').replaceAll(
        /\/\*[\s\S]*?\*\/|\/\/.*/g,
        '',
      );
      expect(/node:|\bBuffer\b|\bprocess\.|\brequire\(|\bsetImmediate\b/.exec(source)?.[0], file).toBeUndefined();
    }
  });
});
