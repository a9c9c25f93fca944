import { hexToBytes } from '@noble/hashes/utils.js';
import { SM2_ORDER } from '../gm/index.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../suites/index.js';
import { isPublishedKey } from './published-keys.js';

/** A valid private key with its public key, or every fault of it. A fault never shows the value. */
export type ParsedPrivateKey =
  | { readonly kind: 'usable'; readonly privateKey: Uint8Array; readonly publicKey: Uint8Array }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

const HEX_CHARACTERS = 64;

/** A key this close to 0 or to n lacks a quarter of its bytes, because it was short or padded. */
const MIN_DISTANCE = 1n << 192n;

/** Typed and padded keys often have fewer distinct bytes. */
const MIN_DISTINCT_BYTES = 16;

/** A shorter secret was repeated to fill the key. */
const PERIODS = [1, 2, 4, 8, 16];

/** The same for differences: an interleaved count (01 11 02 12 …), or blocks that count (01 … 08 11 … 18 …). */
const MAX_STEPS_PERIOD = 15;

/** A key that a person typed is made of counts and tables. A random key has 8 runs or more. */
const MAX_RUNS = 4;

/** A block that was left at one value, such as zeros. */
const MAX_EQUAL_RUN = 7;

/**
 * Reads a server's private key: 64 hexadecimal characters, a number d with 1 ≤ d ≤ n − 2 (GB/T 32918.1, 6.1). It also
 * refuses keys that no random generator makes in practice, and keys printed in a standard or in published vectors. A
 * fault follows the option's name: "has 63 characters …".
 *
 * Of random keys one in 5 · 10^13 is refused. By rule: printable ASCII (95 / 256)^32 = 1.7 · 10^-14; at most four runs
 * 1.7 · 10^-15; eight equal bytes in a row at most 25 · 256^-7 = 3.5 · 10^-16; fewer than 16 distinct bytes 3 · 10^-17;
 * within 2^192 of 0 or of n 2^-63; a period 2^-128; steps that repeat at most 15 · 2^-128.
 *
 * @example
 * ```ts
 * const next = parsePrivateKey(process.env.NEXT_PRIVATE_KEY ?? randomBytes(32).toString('hex'));
 * if (next.kind === 'refused') throw new Error(`NEXT_PRIVATE_KEY ${next.faults.join(', ')}`);
 * console.log(Buffer.from(next.publicKey).toString('hex'));
 * ```
 */
export function parsePrivateKey(hex: string, suite: EnvelopeSuite = sm2Sm4GcmV1): ParsedPrivateKey {
  const faults = textFaults(hex);
  if (faults.length > 0) return { kind: 'refused', faults };

  const privateKey = hexToBytes(hex);
  faults.push(...weaknesses(privateKey));
  const scalar = BigInt(`0x${hex}`);
  if (scalar === 0n) faults.push('is zero');
  // n − 1 is excluded because signing with it would divide by zero. The same rule applies to every use of a key.
  else if (scalar > SM2_ORDER - 2n) faults.push('is above n − 2, n being the order of the SM2 group');
  else {
    if (scalar < MIN_DISTANCE || SM2_ORDER - scalar < MIN_DISTANCE) {
      faults.push('is within 2^192 of 0 or of n, the order of the SM2 group');
    }
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
  const stepsPeriod = stepsPeriodOf(key);
  if (stepsPeriod === 1) faults.push('has equal steps from byte to byte');
  else if (stepsPeriod !== null) faults.push('has steps from byte to byte that repeat');
  else if (runsOf(key) <= MAX_RUNS) faults.push(`consists of at most ${MAX_RUNS} rising or falling runs`);
  if (PERIODS.some((period) => key.every((byte, i) => byte === key[i % period]))) {
    faults.push(`repeats after ${PERIODS.slice(0, -1).join(', ')} or ${PERIODS.at(-1)} bytes`);
  }
  if (longestRun(key) > MAX_EQUAL_RUN) faults.push(`has ${MAX_EQUAL_RUN + 1} equal bytes in a row`);
  if (key.every((byte) => byte >= 0x20 && byte <= 0x7e)) faults.push('is text: every byte is printable ASCII');
  return faults;
}

/** After how many bytes the differences, modulo 256, repeat. Null: they don't. */
function stepsPeriodOf(key: Uint8Array): number | null {
  const steps = Array.from(key.subarray(1), (byte, i) => (byte - key[i]!) & 0xff);
  for (let period = 1; period <= MAX_STEPS_PERIOD; period += 1) {
    if (steps.every((step, i) => i < period || step === steps[i - period])) return period;
  }
  return null;
}

/** The least number of parts of which each rises or falls throughout. */
function runsOf(key: Uint8Array): number {
  let runs = 0;
  let direction = 0;
  let isBegun = false;
  for (const [i, byte] of key.entries()) {
    const step = isBegun ? Math.sign(byte - key[i - 1]!) : 0;
    if (!isBegun || step * direction < 0) {
      runs += 1;
      direction = 0;
      isBegun = true;
    } else if (step !== 0) direction = step;
  }
  return runs;
}

/** The maximum number of equal bytes in a row. */
function longestRun(key: Uint8Array): number {
  let longest = 0;
  let run = 0;
  for (const [i, byte] of key.entries()) {
    run = i > 0 && byte === key[i - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
