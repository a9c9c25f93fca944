import { hkdfSm3, hmacSm3, sm2Encrypt, sm3, sm4GcmSeal } from '../../../src/gm/index.js';
import { b64u, bytesOf, drawn, drawnHex, hexOf, utf8Hex } from '../drawn-bytes.js';
import { keys } from '../published-keys.js';
import { ciphertextOf, fieldBytes, multiply, numberOf, P, type Point, pointAt } from '../sm2-points.js';
import type { Base64urlVector, HkdfVector, Sm2Vector, Sm3Vector, Sm4GcmVector } from '../vector-types.js';

const flipped = (bytes: Uint8Array, bit: number): Uint8Array =>
  bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte));

export function sm3Vectors(): Sm3Vector[] {
  const messages: [string, string][] = [
    ['GB/T 32905-2016, A.1: abc', utf8Hex('abc')],
    ['GB/T 32905-2016, A.2: abcd 16 times', utf8Hex('abcd'.repeat(16))],
    ['empty', ''],
    ...[1, 55, 56, 63, 64, 65, 119, 128].map((length): [string, string] => [`${length} bytes`, 'a5'.repeat(length)]),
  ];
  return messages.map(([name, message]) => ({ name, message, digest: hexOf(sm3(bytesOf(message))) }));
}

export function sm4GcmVectors(): Sm4GcmVector[] {
  const sealed = (name: string, aadBytes: number, plaintextBytes: number): Sm4GcmVector => {
    const key = drawn(`gcm|${name}|key`, 16);
    const iv = drawn(`gcm|${name}|iv`, 12);
    const aad = Buffer.alloc(aadBytes, 'authenticated data ');
    const plaintext = Buffer.alloc(plaintextBytes, 'plaintext ');
    const ct = hexOf(sm4GcmSeal(key, iv, aad, plaintext));
    return { name, key: hexOf(key), iv: hexOf(iv), aad: hexOf(aad), ct, plaintext: hexOf(plaintext) };
  };
  const rfc8998 = { key: '0123456789abcdeffedcba9876543210', iv: '00001234567800000000abcd' };
  const rfc8998Aad = 'feedfacedeadbeeffeedfacedeadbeefabaddad2';
  const rfc8998Plaintext = 'aabbccddeeff'
    .match(/../g)!
    .map((byte) => byte.repeat(8))
    .join('')
    .concat('ee'.repeat(8), 'aa'.repeat(8));
  const good: Sm4GcmVector[] = [
    {
      ...{ name: 'RFC 8998, A.1', ...rfc8998, aad: rfc8998Aad },
      ct: hexOf(sm4GcmSeal(bytesOf(rfc8998.key), bytesOf(rfc8998.iv), bytesOf(rfc8998Aad), bytesOf(rfc8998Plaintext))),
      plaintext: rfc8998Plaintext,
    },
    sealed('no plaintext, no authenticated data', 0, 0),
    sealed('no plaintext', 20, 0),
    sealed('no authenticated data', 0, 33),
    ...[1, 15, 16, 17, 64, 129].map((length) => sealed(`${length} bytes`, 90, length)),
  ];
  const base = sealed('refused', 20, 20);
  const ct = bytesOf(base.ct);
  const changed = (name: string, change: Partial<Sm4GcmVector>): Sm4GcmVector => ({
    ...base,
    ...change,
    name,
    plaintext: null,
  });
  return [
    ...good,
    changed('another key', { key: drawnHex('gcm|another key', 16) }),
    changed('another iv', { iv: drawnHex('gcm|another iv', 12) }),
    changed('other authenticated data', { aad: hexOf(flipped(bytesOf(base.aad), 0)) }),
    changed('a byte of authenticated data missing', { aad: base.aad.slice(2) }),
    changed('first bit of the ciphertext', { ct: hexOf(flipped(ct, 0)) }),
    changed('first bit of the tag', { ct: hexOf(flipped(ct, 8 * (ct.length - 16))) }),
    changed('last bit of the tag', { ct: hexOf(flipped(ct, 8 * ct.length - 1)) }),
    changed('tag cut to 12 bytes', { ct: hexOf(ct.subarray(0, -4)) }),
    changed('a byte after the tag', { ct: `${base.ct}00` }),
  ];
}

/** The wrapped keys that a service has to refuse, and what makes each of them dangerous. */
export function refusedWraps(baseKey: Uint8Array, seed: string): [name: string, ek: Uint8Array][] {
  const [own, other] = keys as [(typeof keys)[0], (typeof keys)[0]];
  const ek = sm2Encrypt(bytesOf(own.publicKey), baseKey, drawn(seed, 32));
  const c1: Point = { x: numberOf(ek.subarray(1, 33)), y: numberOf(ek.subarray(33, 65)) };
  const secret = numberOf(bytesOf(own.privateKey));
  const offCurve = { x: c1.x, y: c1.y ^ 1n };
  const withPoint = (first: number, x: bigint, y: bigint) =>
    Buffer.concat([Buffer.from([first]), fieldBytes(x), fieldBytes(y), ek.subarray(65)]);
  // For an x below 2^256 - p, x + p has 32 bytes, too, and stands for the same point.
  let small = 1n;
  while (pointAt(small) === null) small++;
  const aliased = pointAt(small)!;
  return [
    ['C1 not on the curve', withPoint(4, offCurve.x, offCurve.y)],
    ['C1 on another curve, C3 fits', ciphertextOf(offCurve, multiply(secret, offCurve), baseKey)],
    ['C1 is (0, 0), C3 fits (0, 0)', ciphertextOf({ x: 0n, y: 0n }, { x: 0n, y: 0n }, baseKey)],
    ['C1.x + p, C3 fits', ciphertextOf({ x: aliased.x + P, y: aliased.y }, multiply(secret, aliased), baseKey)],
    ['C1.x is p', withPoint(4, P, c1.y)],
    ['C1 negated', withPoint(4, c1.x, P - c1.y)],
    ['C1.x and C1.y exchanged', withPoint(4, c1.y, c1.x)],
    ['order C1, C2, C3', Buffer.concat([ek.subarray(0, 65), ek.subarray(97), ek.subarray(65, 97)])],
    ['first bit of C3', flipped(ek, 8 * 65)],
    ['last bit of C3', flipped(ek, 8 * 97 - 1)],
    ['first bit of C2', flipped(ek, 8 * 97)],
    ['wrapped for another key', sm2Encrypt(bytesOf(other.publicKey), baseKey, drawn(seed, 32))],
  ];
}

export function sm2Vectors(): Sm2Vector[] {
  const wrapped = ['one', 'two', 'three', 'four'].map((name, i): Sm2Vector => {
    const { privateKey, publicKey } = keys[i % keys.length]!;
    const [baseKey, ephemeral] = [drawn(`sm2|${name}|base key`, 16), drawn(`sm2|${name}|k`, 32)];
    const ek = hexOf(sm2Encrypt(bytesOf(publicKey), baseKey, ephemeral));
    return { name, privateKey, publicKey, ephemeral: hexOf(ephemeral), ek, baseKey: hexOf(baseKey) };
  });
  const { privateKey, publicKey } = keys[0]!;
  const [zeros, k] = [new Uint8Array(16), drawn('sm2|zeros|k', 32)];
  const ek = sm2Encrypt(bytesOf(publicKey), zeros, k);
  const common = { privateKey, publicKey, ephemeral: null, baseKey: null };
  const lengths: [string, Uint8Array][] = [
    ['a byte missing', ek.subarray(0, -1)],
    ['a byte too many', Buffer.concat([ek, Buffer.from([0])])],
    ['no bytes', new Uint8Array()],
    ['first byte 02: compressed', Buffer.concat([Buffer.from([2]), ek.subarray(1)])],
    ['first byte 06: hybrid', Buffer.concat([Buffer.from([6]), ek.subarray(1)])],
  ];
  return [
    ...wrapped,
    { name: 'base key of zeros', privateKey, publicKey, ephemeral: hexOf(k), ek: hexOf(ek), baseKey: hexOf(zeros) },
    ...[...refusedWraps(drawn('sm2|refused|base key', 16), 'sm2|refused|k'), ...lengths].map(([name, bytes]) => ({
      name,
      ...common,
      ek: hexOf(bytes),
    })),
  ];
}

export function hkdfVectors(): HkdfVector[] {
  const derived = (name: string, baseKey: Uint8Array, nonce: Uint8Array, kid: string): HkdfVector => {
    const key = (use: string) => hexOf(hkdfSm3(baseKey, nonce, Buffer.from(`sm2-sm4-gcm-v1|${use}|${kid}`), 16));
    return {
      ...{ name, baseKey: hexOf(baseKey), nonce: hexOf(nonce), kid },
      prk: hexOf(hmacSm3(nonce, baseKey)),
      requestKey: key('request'),
      responseKey: key('response'),
    };
  };
  return [
    derived(
      'the worked example',
      bytesOf('a1fa5490ae8552ca67874db08047fe24'),
      fromB64u('pmx12V2hjepWNEcCnoTqwA'),
      '2025-11',
    ),
    derived('zeros, kid of one character', new Uint8Array(16), new Uint8Array(16), 'a'),
    derived(
      'ones, kid of 64 characters',
      new Uint8Array(16).fill(255),
      new Uint8Array(16).fill(255),
      'K._-'.repeat(16),
    ),
    ...['one', 'two'].map((name) => derived(name, drawn(`hkdf|${name}`, 16), drawn(`hkdf|${name}|n`, 16), '2025-11')),
  ];
}

const fromB64u = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));

export function base64urlVectors(): Base64urlVector[] {
  const good = [0, 1, 2, 3, 4, 16, 17].map((length): Base64urlVector => {
    const bytes = drawn('base64url', length);
    return { name: `${length} bytes`, text: b64u(bytes), bytes: hexOf(bytes) };
  });
  const bad: [string, string][] = [
    ['padding', 'AA=='],
    ['one sign of padding', 'AAA='],
    ['a single character', 'A'],
    ['five characters', 'AAAAA'],
    ['unused bits set, one byte', 'AB'],
    ['unused bits set, two bytes', 'AAB'],
    ['the alphabet of base64: +', '+w'],
    ['the alphabet of base64: /', '/w'],
    ['a space before', ' AA'],
    ['a space after', 'AA '],
    ['a line feed', 'AA\nAA'],
    ['a full stop', 'AA.A'],
    ['a letter beyond ASCII', 'AAé'],
  ];
  return [
    ...good,
    { name: 'all of the alphabet that base64 lacks', text: '-_-_', bytes: hexOf(fromB64u('-_-_')) },
    ...bad.map(([name, text]) => ({ name, text, bytes: null })),
  ];
}
