import { type WeierstrassPoint, weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { bytesToNumberBE, equalBytes } from '@noble/curves/utils.js';
import { clean, concatBytes, randomBytes } from '@noble/hashes/utils.js';
import { DecryptionFailedError } from './errors.js';
import { sm3 } from './sm3.js';

/** Whether noble has made its first call for random bytes. That call is a probe whose bytes are dropped. */
let isProbed = false;

/**
 * The given ephemeral scalar during its multiplications. Its blinds are derived from it, so that a client with its own
 * source of randomness uses no other source. A scalar that is used once does not need different blinds.
 */
let blindFrom: Uint8Array | null = null;

/** The random bytes by which noble blinds the scalars of multiplications. */
function drawBlind(length = 0): Uint8Array<ArrayBuffer> {
  if (isProbed) return blindFrom === null ? randomBytes(length) : new Uint8Array(sm3(blindFrom)).subarray(0, length);
  // No global is read when the module is loaded.
  isProbed = true;
  return new Uint8Array(length);
}

/** The order n of the group: a private key is a number from 1 to n − 2, an ephemeral scalar from 1 to n − 1. */
export const SM2_ORDER = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n;

/** GB/T 32918.5-2017, clause 2: the recommended curve sm2p256v1, y² = x³ + ax + b over F_p, with cofactor 1. */
const Point = /* @__PURE__ */ weierstrass(
  {
    p: 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn,
    n: SM2_ORDER,
    h: 1n,
    a: 0xfffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffcn,
    b: 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n,
    Gx: 0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
    Gy: 0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0n,
  },
  { randomBytes: drawBlind },
);

/** Bytes of a private key and of an ephemeral scalar, big-endian. */
export const SM2_SCALAR_BYTES = 32;

/** Bytes of a point: 04, x, y. Compressed and hybrid forms (02, 03, 06, 07) are refused. */
export const SM2_POINT_BYTES = 65;

/** Bytes that a ciphertext adds to the message: C1 (65) and C3 (32). */
export const SM2_OVERHEAD_BYTES = SM2_POINT_BYTES + sm3.outputLen;

/** Encrypts one message to the public key for which it was made. `ephemeral` is for known-answer tests only. */
export type Sm2Encryptor = (message: Uint8Array, ephemeral?: Uint8Array) => Uint8Array;

/** A uniform scalar from 1 to n − 1. A draw out of range (about one in 2^32) is repeated. */
export function randomSm2Scalar(random: (length: number) => Uint8Array = randomBytes): Uint8Array {
  for (;;) {
    const candidate = random(SM2_SCALAR_BYTES);
    const scalar = bytesToNumberBE(candidate);
    if (scalar >= 1n && scalar < SM2_ORDER) return candidate;
  }
}

/** The public key of a private key: the point d·G as 04, x, y. */
export function sm2PublicKey(privateKey: Uint8Array): Uint8Array {
  return Point.BASE.multiply(scalarOf(privateKey, 'private key')).toBytes(false);
}

/** Whether the bytes are a valid public key: 65 bytes, 04, coordinates below p, on the curve, not (0, 0). */
export function isSm2PublicKey(bytes: Uint8Array): boolean {
  return pointOf(bytes) !== null;
}

/**
 * Prepares encryption to one public key (GB/T 32918.4-2016, 6.1; ciphertext `C1 || C3 || C2`).
 *
 * @param precompute build a table for the key: it takes as long as two encryptions, and each encryption is then four
 * times as fast
 */
export function sm2Encryptor(publicKey: Uint8Array, precompute = false): Sm2Encryptor {
  const point = pointOf(publicKey);
  if (point === null) throw new RangeError('SM2 public key: not an uncompressed point of sm2p256v1');
  // The first encryption builds the table. The eager way would multiply, and draw random bytes itself.
  if (precompute) point.precompute(PRECOMPUTED_WINDOW_BITS, true);
  return (message, ephemeral) => encrypt(point, message, ephemeral);
}

/** Builds the table of the base point, which the first encryption would build otherwise. */
export function buildSm2BaseTable(): void {
  encrypt(Point.BASE, new Uint8Array(1), new Uint8Array(SM2_SCALAR_BYTES).fill(1));
}

/** Encrypts one message of at least one byte to a public key. See {@link sm2Encryptor} for many to the same key. */
export function sm2Encrypt(publicKey: Uint8Array, message: Uint8Array, ephemeral?: Uint8Array): Uint8Array {
  return sm2Encryptor(publicKey)(message, ephemeral);
}

/**
 * Decrypts `C1 || C3 || C2` (GB/T 32918.4-2016, 7.1): the message, or null for every cause of failure.
 *
 * The multiplication by the private key is noble's `multiply`: a fixed sequence of complete point additions with a
 * blinded scalar. The BigInt arithmetic below it is not constant time; the kernel is.
 */
export function sm2Open(privateKey: Uint8Array, ciphertext: Uint8Array): Uint8Array | null {
  const scalar = scalarOf(privateKey, 'private key');
  if (ciphertext.length <= SM2_OVERHEAD_BYTES) return null;
  const c1 = pointOf(ciphertext.subarray(0, SM2_POINT_BYTES));
  if (c1 === null) return null;
  const c3 = ciphertext.subarray(SM2_POINT_BYTES, SM2_OVERHEAD_BYTES);
  const shared = coordinatesOf(c1.multiply(scalar));

  const mask = deriveMask(shared, ciphertext.length - SM2_OVERHEAD_BYTES);
  const message = xor(mask, ciphertext.subarray(SM2_OVERHEAD_BYTES));
  // Both checks always run, so that timing does not reveal which one failed.
  const authentic = equalBytes(checkValue(shared, message), c3);
  const masked = !isAllZero(mask);
  clean(shared, mask);
  if (authentic && masked) return message;
  clean(message);
  return null;
}

/** As {@link sm2Open}, but throws a {@link DecryptionFailedError} for every cause of failure. */
export function sm2Decrypt(privateKey: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const message = sm2Open(privateKey, ciphertext);
  if (message === null) throw new DecryptionFailedError();
  return message;
}

/**
 * 8 points for each of 65 windows. They are built in 11 ms, which is less than a browser's frame. Wider windows cost
 * more than they gain.
 */
const PRECOMPUTED_WINDOW_BITS = 4;

function encrypt(publicKey: WeierstrassPoint<bigint>, message: Uint8Array, ephemeral?: Uint8Array): Uint8Array {
  if (message.length === 0) throw new RangeError('SM2 encryption: no message');
  blindFrom = ephemeral ?? null;
  try {
    return encryptBlinded(publicKey, message, ephemeral);
  } finally {
    blindFrom = null;
  }
}

function encryptBlinded(publicKey: WeierstrassPoint<bigint>, message: Uint8Array, ephemeral?: Uint8Array): Uint8Array {
  for (;;) {
    const scalar = scalarOf(ephemeral ?? randomSm2Scalar(), 'ephemeral scalar');
    const shared = coordinatesOf(publicKey.multiply(scalar));
    const mask = deriveMask(shared, message.length);
    if (!isAllZero(mask)) {
      const c1 = Point.BASE.multiply(scalar).toBytes(false);
      const ciphertext = concatBytes(c1, checkValue(shared, message), xor(mask, message));
      clean(shared, mask);
      return ciphertext;
    }
    // GB/T 32918.4-2016, 6.1, A5: a mask of zeros would leave the message unencrypted, so draw again.
    if (ephemeral !== undefined) throw new RangeError('SM2 encryption: a mask of zeros');
  }
}

/** GB/T 32918.4-2016, 5.4.3: KDF(x2 || y2, length), SM3 over the coordinates and a counter from 1. */
function deriveMask(shared: Uint8Array, length: number): Uint8Array {
  const mask = new Uint8Array(length);
  const counter = new DataView(new ArrayBuffer(4));
  const prefix = sm3.create().update(shared);
  for (let offset = 0, i = 1; offset < length; offset += sm3.outputLen, i++) {
    counter.setUint32(0, i);
    const digest = prefix.clone().update(new Uint8Array(counter.buffer)).digest();
    mask.set(digest.subarray(0, length - offset), offset);
    clean(digest);
  }
  prefix.destroy();
  return mask;
}

/** C3 = SM3(x2 || M || y2). */
function checkValue(shared: Uint8Array, message: Uint8Array): Uint8Array {
  return sm3.create().update(shared.subarray(0, 32)).update(message).update(shared.subarray(32)).digest();
}

/** The point of an encoding, or null. The point is fully validated before any multiplication. */
function pointOf(bytes: Uint8Array): WeierstrassPoint<bigint> | null {
  if (bytes.length !== SM2_POINT_BYTES || bytes[0] !== 0x04) return null;
  try {
    // Refuses coordinates from p up, points off the curve and (0, 0). The cofactor is 1, so every other point has order
    // n.
    return Point.fromBytes(bytes);
  } catch {
    return null;
  }
}

function scalarOf(bytes: Uint8Array, name: string): bigint {
  if (bytes.length !== SM2_SCALAR_BYTES) throw new RangeError(`SM2 ${name}: expected 32 bytes, got ${bytes.length}`);
  const scalar = bytesToNumberBE(bytes);
  // The message must not contain the value.
  if (scalar < 1n || scalar >= SM2_ORDER) throw new RangeError(`SM2 ${name}: not from 1 to n - 1`);
  return scalar;
}

/** x2 || y2. It is not the point at infinity, because the scalar is not a multiple of n, and the point has order n. */
function coordinatesOf(point: WeierstrassPoint<bigint>): Uint8Array {
  return point.toBytes(false).subarray(1);
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ b[i]!);
}

function isAllZero(bytes: Uint8Array): boolean {
  return bytes.reduce((bits, byte) => bits | byte, 0) === 0;
}
