import { bytesToHex, concatBytes, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { hmacSm3, sm2Decrypt, sm3, sm4 } from '../gm/index.js';
import { BASE_KEY_BYTES } from '../wire/index.js';
import { sm2Sm4GcmV1 } from './portable-suite.js';
import type { EnvelopeSuite } from './suite.js';

/** The primitives of a suite for which the standards print examples. */
export interface GmPrimitives {
  sm3(message: Uint8Array): Uint8Array;
  hmacSm3(key: Uint8Array, message: Uint8Array): Uint8Array;
  sm2Decrypt(privateKey: Uint8Array, ciphertext: Uint8Array): Uint8Array;
  sm4(key: Uint8Array): { encryptBlock(block: Uint8Array): Uint8Array };
}

/** The cryptography gave a wrong answer: the build, the engine or the machine is broken. It must not be used. */
export class SelfTestFailedError extends Error {
  override readonly name = 'SelfTestFailedError';
  /** The names of the failed tests. */
  readonly failures: readonly string[];

  constructor(failures: readonly string[]) {
    super(`cryptographic self-test failed: ${failures.join('; ')}`);
    this.failures = failures;
  }
}

/**
 * Runs known-answer tests on the suite and its primitives, and a round trip. Throws a {@link SelfTestFailedError} that
 * names every failed test. It runs once, at start, and takes about 100 ms, mostly for the tables of the curve, which
 * the first request then finds.
 */
export function runSelfTest(suite: EnvelopeSuite = sm2Sm4GcmV1, primitives: GmPrimitives = PORTABLE_PRIMITIVES): void {
  requireAnswers({ ...primitiveAnswers(primitives), ...suiteAnswers(suite) });
}

/** {@link runSelfTest} of the suite alone, for an implementation that does not expose its primitives. */
export function runSuiteSelfTest(suite: EnvelopeSuite): void {
  requireAnswers(suiteAnswers(suite));
}

function requireAnswers(answers: Readonly<Record<string, () => boolean>>): void {
  const failures = Object.entries(answers)
    .filter(([, holds]) => !holdsWithoutThrowing(holds))
    .map(([name]) => name);
  if (failures.length > 0) throw new SelfTestFailedError(failures);
}

const PORTABLE_PRIMITIVES: GmPrimitives = { sm3, hmacSm3, sm2Decrypt, sm4 };

/** GB/T 32918.5-2017, Annex C: the recipient's key, the ephemeral scalar, and `C1 || C3 || C2` of the message. */
const SM2_EXAMPLE = {
  privateKey: hexToBytes('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8'),
  publicKey:
    '0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020' +
    'ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13',
  ephemeral: hexToBytes('59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21'),
  ciphertext: hexToBytes(
    '0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73' +
      'e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0' +
      '59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766' +
      '21886ca989ca9c7d58087307ca93092d651efa',
  ),
  message: utf8ToBytes('encryption standard'),
};

/**
 * The smallest private key, whose point is G (GB/T 32918.5-2017, clause 2); the greatest, -G; and n − 6, where a
 * multiplication by five-bit windows ends with the sum of two equal points. The standard prints G; the rest follows
 * from the group law.
 */
const EDGE_KEYS = [
  {
    privateKey: hexToBytes('0000000000000000000000000000000000000000000000000000000000000001'),
    publicKey:
      '0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7' +
      'bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0',
  },
  {
    privateKey: hexToBytes('fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54122'),
    publicKey:
      '0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7' +
      '43c8c95c0b098863a642311c9496deac2f56788239d5b8c0fd20cd1adec60f5f',
  },
  {
    privateKey: hexToBytes('fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d5411d'),
    publicKey:
      '040927afb57d93483bbb17c93e71f22a3105ff8856a66016892c8b1a1a3c4b0d30' +
      'eaf394e44b2e038153e3f109140d99ba7e520e0e7aa5f9b32a8defcffff7709c',
  },
] as const;

/** RFC 8998, A.1: SM4-GCM. */
const SM4_GCM_EXAMPLE = {
  key: hexToBytes('0123456789abcdeffedcba9876543210'),
  iv: hexToBytes('00001234567800000000abcd'),
  aad: hexToBytes('feedfacedeadbeeffeedfacedeadbeefabaddad2'),
  plaintext: hexToBytes(
    'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd' +
      'eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa',
  ),
  sealed: hexToBytes(
    '17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735' +
      'd82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d' +
      '83de3541e4c2b58177e065a9bf7b62ec',
  ),
};

/** The first envelope of the published vectors (envelope_v1.json): base key in, request and response key out. */
const DERIVATION_EXAMPLE = {
  keyId: '2025-11',
  nonce: hexToBytes('a66c75d95da18dea563447029e84eac0'),
  baseKey: hexToBytes('a1fa5490ae8552ca67874db08047fe24'),
  requestKey: '129877724bef13980339422ff91c4d43',
  responseKey: 'eb40e82867eb3c5ef748f572f2a2c8fb',
};

function primitiveAnswers({ sm3, hmacSm3, sm2Decrypt, sm4 }: GmPrimitives): Record<string, () => boolean> {
  return {
    'SM3 of "abc" (GB/T 32905-2016, A.1)': () =>
      isHex(sm3(utf8ToBytes('abc')), '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0'),
    'SM3 over two blocks (GB/T 32905-2016, A.2)': () =>
      isHex(sm3(utf8ToBytes('abcd'.repeat(16))), 'debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732'),
    'HMAC-SM3 (GM/T 0042-2015, D.3)': () =>
      isHex(
        hmacSm3(utf8ToBytes('Jefe'), utf8ToBytes('what do ya want for nothing?')),
        '2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882',
      ),
    'SM4 block (GB/T 32907-2016, A.1)': () => {
      const block = hexToBytes('0123456789abcdeffedcba9876543210');
      return isHex(sm4(block).encryptBlock(block), '681edf34d206965e86b3e94f536e4246');
    },
    'SM2 decryption (GB/T 32918.5-2017, Annex C)': () =>
      isSame(sm2Decrypt(SM2_EXAMPLE.privateKey, SM2_EXAMPLE.ciphertext), SM2_EXAMPLE.message),
  };
}

function suiteAnswers(suite: EnvelopeSuite): Record<string, () => boolean> {
  const { key, iv, aad, plaintext, sealed } = SM4_GCM_EXAMPLE;
  const { keyId, nonce, baseKey, requestKey, responseKey } = DERIVATION_EXAMPLE;
  const { privateKey } = SM2_EXAMPLE;
  return {
    'public key of a private key (GB/T 32918.5-2017, Annex C)': () =>
      isHex(suite.publicKeyOf(privateKey), SM2_EXAMPLE.publicKey),
    'public keys and C1 of the edges of the scalars': () =>
      EDGE_KEYS.every(({ privateKey: d, publicKey }) => {
        const ek = suite.wrapBaseKey(hexToBytes(SM2_EXAMPLE.publicKey), baseKey, d);
        return isHex(suite.publicKeyOf(d), publicKey) && isHex(ek.subarray(0, 65), publicKey);
      }),
    'hash of a token (GB/T 32905-2016, A.1)': () =>
      isHex(suite.hashToken('abc'), '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0'),
    'SM4-GCM sealing (RFC 8998, A.1)': () => isSame(suite.sealMessage(key, iv, aad, plaintext), sealed),
    'SM4-GCM opening (RFC 8998, A.1)': () => isSame(suite.openMessage(key, iv, aad, sealed), plaintext),
    'SM4-GCM refusal of a wrong tag': () => suite.openMessage(key, iv, aad, withLastBitFlipped(sealed)) === null,
    'derived keys (published vectors, HKDF-SM3)': () => {
      const keys = suite.deriveKeys(baseKey, nonce, keyId);
      return isHex(keys.requestKey, requestKey) && isHex(keys.responseKey, responseKey);
    },
    'wrapping and unwrapping (GB/T 32918.5-2017, Annex C)': () => {
      // The first 16 bytes of the printed message: C1 and the first bytes of C2 must be the printed ones.
      const message = SM2_EXAMPLE.message.subarray(0, BASE_KEY_BYTES);
      const ek = suite.wrapBaseKey(hexToBytes(SM2_EXAMPLE.publicKey), message, SM2_EXAMPLE.ephemeral);
      const [c1, c2] = [ek.subarray(0, 65), ek.subarray(97)];
      const { ciphertext } = SM2_EXAMPLE;
      const isPrinted = isSame(c1, ciphertext.subarray(0, 65)) && isSame(c2, ciphertext.subarray(97, 113));
      return isPrinted && isSame(suite.unwrapBaseKey(privateKey, ek), message);
    },
    'wrapping and unwrapping of a random base key': () => {
      const fresh = randomBytes(BASE_KEY_BYTES);
      return isSame(suite.unwrapBaseKey(privateKey, suite.wrapBaseKey(suite.publicKeyOf(privateKey), fresh)), fresh);
    },
    'refusal of a changed wrapped key': () => {
      const ek = suite.wrapBaseKey(suite.publicKeyOf(privateKey), baseKey);
      return suite.unwrapBaseKey(privateKey, withLastBitFlipped(ek)) === null;
    },
  };
}

function holdsWithoutThrowing(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

const isHex = (bytes: Uint8Array, hex: string) => bytesToHex(bytes) === hex;

const isSame = (bytes: Uint8Array | null, expected: Uint8Array) => bytes !== null && isHex(bytes, bytesToHex(expected));

const withLastBitFlipped = (bytes: Uint8Array) => concatBytes(bytes.subarray(0, -1), Uint8Array.of(bytes.at(-1)! ^ 1));
