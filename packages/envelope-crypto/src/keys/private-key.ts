import { hexToBytes } from '@noble/hashes/utils.js';
import { SM2_ORDER } from '../gm/index.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../suites/index.js';
import { isPublishedKey } from './published-keys.js';

/** A valid private key with its public key, or every fault of it. A fault never shows the value. */
export type ParsedPrivateKey =
  | { readonly kind: 'usable'; readonly privateKey: Uint8Array; readonly publicKey: Uint8Array }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

const HEX_CHARACTERS = 64;

/** One in about 3 · 10^16 random keys has fewer than 16 distinct bytes. Typed and padded keys often do. */
const MIN_DISTINCT_BYTES = 16;

/**
 * Reads a server's private key: 64 hexadecimal characters, a number d with 1 ≤ d ≤ n − 2 (GB/T 32918.1, 6.1). It also
 * refuses keys with fewer than 16 distinct bytes, keys with an equal step from byte to byte (00 01 02 …), and keys
 * printed in a standard or in published vectors. A fault follows the option's name: "has 63 characters …".
 */
export function parsePrivateKey(hex: string, suite: EnvelopeSuite = sm2Sm4GcmV1): ParsedPrivateKey {
  const faults = textFaults(hex);
  if (faults.length > 0) return { kind: 'refused', faults };

  const privateKey = hexToBytes(hex);
  faults.push(...weaknesses(privateKey));
  const scalar = BigInt(`0x${hex}`);
  if (scalar === 0n) faults.push('is zero');
  // n − 1 is excluded because signing with it would divide by zero. One rule serves every use of a key.
  else if (scalar > SM2_ORDER - 2n) faults.push('is above n − 2, n being the order of the SM2 group');
  else {
    const publicKey = suite.publicKeyOf(privateKey);
    if (isPublishedKey(publicKey)) faults.push('is printed in a standard or in published test vectors');
    if (faults.length === 0) return { kind: 'usable', privateKey, publicKey };
  }
  privateKey.fill(0);
  return { kind: 'refused', faults };
}

function textFaults(hex: string): string[] {
  if (typeof hex !== 'string') return ['is not a string'];
  const faults: string[] = [];
  if (hex.length !== HEX_CHARACTERS) faults.push(`has ${hex.length} characters instead of ${HEX_CHARACTERS}`);
  if (!/^[0-9a-f]*$/i.test(hex)) faults.push('has characters that are not hexadecimal');
  return faults;
}

function weaknesses(key: Uint8Array): string[] {
  const faults: string[] = [];
  if (new Set(key).size < MIN_DISTINCT_BYTES) faults.push(`has fewer than ${MIN_DISTINCT_BYTES} distinct bytes`);
  const step = (key[1]! - key[0]!) & 0xff;
  const hasEqualSteps = key.every((byte, i) => i === 0 || ((byte - key[i - 1]!) & 0xff) === step);
  if (hasEqualSteps) faults.push('has equal steps from byte to byte');
  return faults;
}
