import { equalBytes } from '@noble/curves/utils.js';
import { SM2_POINT_BYTES, SM2_SCALAR_BYTES, SM4_BLOCK_BYTES } from '../gm/index.js';
import { type EnvelopeSuite, runSuiteSelfTest } from '../suites/index.js';
import { BASE_KEY_BYTES, SUITE_NAME, WRAPPED_KEY_BYTES } from '../wire/index.js';
import { DONE, embeddedKernel, type Kernel, loadKernel, REFUSED, SCALAR_OUT_OF_RANGE } from './load-kernel.js';
import { createMessageCipher } from './message-cipher.js';
import { createScalarPool } from './scalar-pool.js';

/** The kernel, or the reason why there is none. In that case the portable implementation is used. */
export type KernelSuite =
  | { readonly kind: 'ready'; readonly suite: EnvelopeSuite }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly cause: unknown };

/**
 * The suite in WebAssembly: constant time, and 30 times as fast as the portable implementation. Compiles the kernel and
 * runs known-answer tests, in some tens of milliseconds. A kernel that does not start or gives a wrong answer is
 * unavailable.
 *
 * @param moduleBytes another build of the kernel. Default: the embedded one
 */
export function createKernelSuite(moduleBytes: Uint8Array = embeddedKernel()): KernelSuite {
  try {
    const suite = suiteOf(loadKernel(moduleBytes));
    runSuiteSelfTest(suite);
    return { kind: 'ready', suite };
  } catch (cause) {
    return { kind: 'unavailable', reason: cause instanceof Error ? cause.message : String(cause), cause };
  }
}

/** This many unusable draws in a row mean a broken generator, not chance. */
const MAX_DRAWS = 8;

/** The suite on a kernel that is not tested yet. */
function suiteOf(kernel: Kernel): EnvelopeSuite {
  const { functions, at, memory } = kernel;
  const drawScalar = createScalarPool();
  const encoder = new TextEncoder();
  const chunk = memory.subarray(at.CHUNK, at.CHUNK + at.CHUNK_BYTES);
  const infoRoom = memory.subarray(at.INFO, at.DERIVED_KEY - 1);
  /** The public key for which the kernel has a table. Nothing of a private key is kept. */
  let publicKeyInUse: Uint8Array | null = null;

  const read = (address: number, bytes: number) => memory.slice(address, address + bytes);

  /** Runs a verb, and wipes the kernel's memory in every case. */
  function wiping<Result>(verb: () => Result): Result {
    try {
      return verb();
    } finally {
      functions.wipeAll(0);
    }
  }

  function writeScalar(scalar: Uint8Array, name: string): void {
    if (scalar.length !== SM2_SCALAR_BYTES) {
      throw new RangeError(`SM2 ${name}: expected 32 bytes, got ${scalar.length}`);
    }
    memory.set(scalar, at.SCALAR);
  }

  function usePublicKey(publicKey: Uint8Array): void {
    if (publicKeyInUse !== null && equalBytes(publicKeyInUse, publicKey)) return;
    publicKeyInUse = null;
    if (publicKey.length === SM2_POINT_BYTES) memory.set(publicKey, at.PUBLIC_KEY);
    if (publicKey.length !== SM2_POINT_BYTES || functions.usePublicKey() === REFUSED) {
      throw new RangeError('SM2 public key: not an uncompressed point of sm2p256v1');
    }
    publicKeyInUse = publicKey.slice();
  }

  /** Draws again if a scalar is out of range (one in about 2^32 draws) or gives a mask of zeros (one in 2^128). */
  function wrapByDrawnScalar(): void {
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      drawScalar(memory, at.SCALAR);
      if (functions.wrap() === DONE) return;
    }
    throw new Error('SM2 encryption: the random generator gives no scalar from 1 to n − 1');
  }

  function expandInfo(purpose: 'request' | 'response', keyId: string): Uint8Array {
    const info = `${SUITE_NAME}|${purpose}|${keyId}`;
    const { read: characters, written } = encoder.encodeInto(info, infoRoom);
    if (characters < info.length) throw new RangeError('key id: too long');
    functions.expandKey(written);
    return read(at.DERIVED_KEY, SM4_BLOCK_BYTES);
  }

  /** Unwraps up to `at.MAX_KEYS` keys, the capacity of the kernel. */
  function unwrapBatch(privateKey: Uint8Array, eks: readonly Uint8Array[]): (Uint8Array | null)[] {
    return wiping(() => {
      writeScalar(privateKey, 'private key');
      // A key of another length stays zeros, which are not a point of the curve.
      for (const [i, ek] of eks.entries()) {
        if (ek.length === WRAPPED_KEY_BYTES) memory.set(ek, at.WRAPPED_KEY + i * at.WRAPPED_KEY_STRIDE);
      }
      const opens = functions.unwrap(eks.length);
      if (opens === SCALAR_OUT_OF_RANGE) throw outOfRange('private key');
      return eks.map((_, i) => {
        // A key that does not open is copied as well, as zeros. Otherwise the time would reveal the difference
        // (ENV-13).
        const baseKey = read(at.BASE_KEY + i * BASE_KEY_BYTES, BASE_KEY_BYTES);
        return (opens >> i) & 1 ? baseKey : null;
      });
    });
  }

  return {
    name: SUITE_NAME,
    ...createMessageCipher(kernel),

    publicKeyOf: (privateKey) =>
      wiping(() => {
        writeScalar(privateKey, 'private key');
        if (functions.publicKeyOf() === SCALAR_OUT_OF_RANGE) throw outOfRange('private key');
        return read(at.PUBLIC_KEY, SM2_POINT_BYTES);
      }),

    wrapBaseKey: (publicKey, baseKey, ephemeral) =>
      wiping(() => {
        requireBytes('base key', baseKey, BASE_KEY_BYTES);
        usePublicKey(publicKey);
        memory.set(baseKey, at.BASE_KEY);
        if (ephemeral !== undefined) {
          writeScalar(ephemeral, 'ephemeral scalar');
          const answer = functions.wrap();
          if (answer === SCALAR_OUT_OF_RANGE) throw outOfRange('ephemeral scalar');
          if (answer === REFUSED) throw new RangeError('SM2 encryption: the ephemeral scalar gives a mask of zeros');
        } else {
          wrapByDrawnScalar();
        }
        return read(at.WRAPPED_KEY, WRAPPED_KEY_BYTES);
      }),

    unwrapBaseKey: (privateKey, ek) => unwrapBatch(privateKey, [ek])[0]!,

    unwrapBaseKeys(privateKey, eks) {
      const answers: (Uint8Array | null)[] = [];
      for (let i = 0; i < eks.length; i += at.MAX_KEYS) {
        answers.push(...unwrapBatch(privateKey, eks.slice(i, i + at.MAX_KEYS)));
      }
      return answers;
    },

    deriveKeys: (baseKey, nonce, keyId) =>
      wiping(() => {
        requireBytes('base key', baseKey, BASE_KEY_BYTES);
        requireBytes('nonce', nonce, BASE_KEY_BYTES);
        memory.set(baseKey, at.BASE_KEY);
        memory.set(nonce, at.NONCE);
        functions.extractKey();
        return { requestKey: expandInfo('request', keyId), responseKey: expandInfo('response', keyId) };
      }),

    hashToken(token) {
      let maxBytes = 0;
      try {
        functions.beginDigest();
        for (let rest = token; rest.length > 0; ) {
          const { read: characters, written } = encoder.encodeInto(rest, chunk);
          maxBytes = Math.max(maxBytes, written);
          functions.updateDigest(written);
          rest = rest.slice(characters);
        }
        functions.finishDigest();
        return read(at.DIGEST, 32);
      } finally {
        functions.wipeAll(maxBytes);
      }
    },
  };
}

function requireBytes(name: string, bytes: Uint8Array, expected: number): void {
  if (bytes.length !== expected) throw new RangeError(`${name}: expected ${expected} bytes, got ${bytes.length}`);
}

/** The message must not contain the value. */
function outOfRange(name: string): RangeError {
  return new RangeError(`SM2 ${name}: not from 1 to n - 1`);
}
