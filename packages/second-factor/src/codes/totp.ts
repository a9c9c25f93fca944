import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TotpAlgorithm } from '../records/index.js';
import { fromBase32, RFC4648_ALPHABET, toBase32 } from './base32.js';

/** RFC 6238, section 4: the default of 30 seconds. */
export const STEP_SECONDS = 30;

/** RFC 6238, section 5.2: one step for the delay of the network and for a clock that differs. */
const WINDOW_STEPS = 1;

const DIGITS = 6;

/** RFC 4226, section 4 recommends 160 bits. RFC 6238 takes a secret as long as the hash. */
const SECRET_BYTES = { SHA1: 20, SHA256: 32, SHA512: 64 } as const satisfies Record<TotpAlgorithm, number>;

export function createTotpSecret(algorithm: TotpAlgorithm): Buffer {
  return randomBytes(SECRET_BYTES[algorithm]);
}

/** The step of a time in milliseconds since the Unix epoch. */
export function stepAt(timeMillis: number): number {
  return Math.floor(timeMillis / 1000 / STEP_SECONDS);
}

/** RFC 4226, section 5.3, with the step as counter. */
export function totpCode(secret: Uint8Array, step: number, algorithm: TotpAlgorithm, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(algorithm, secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  const truncated = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

/**
 * The step within the window whose code this is, or null. If two steps have the same code, it is the later one: the
 * same digits are then not accepted for the other. Takes the same time for every code.
 */
export function findStep(
  secret: Uint8Array,
  code: string | null,
  timeMillis: number,
  algorithm: TotpAlgorithm,
): number | null {
  const present = stepAt(timeMillis);
  const given = Buffer.from(code ?? ''.padEnd(DIGITS));
  let found: number | null = null;
  for (let step = Math.max(0, present - WINDOW_STEPS); step <= present + WINDOW_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step, algorithm)), given)) found = step;
  }
  return found;
}

/** The digits of a code as typed: full-width digits and blanks are accepted. Null: it can't be a code. */
export function readTotpCode(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > 64) return null;
  const digits = given.normalize('NFKC').replace(/\s/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : null;
}

/** The data that an authenticator app needs. */
export interface TotpUri {
  readonly issuer: string;
  readonly account: string;
  readonly secret: Uint8Array;
  readonly algorithm: TotpAlgorithm;
}

/** The secret as people type it into an app. */
export function secretText(secret: Uint8Array): string {
  return toBase32(secret, RFC4648_ALPHABET);
}

/** The URI that a QR code holds, in the Key Uri Format of Google Authenticator, which all apps read. */
export function totpUri({ issuer, account, secret, algorithm }: TotpUri): string {
  // Not URLSearchParams: apps show its `+` for a blank as a plus.
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = {
    secret: secretText(secret),
    issuer: encodeURIComponent(issuer),
    algorithm,
    digits: DIGITS,
    period: STEP_SECONDS,
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}

/**
 * The code that an authenticator app shows at a time, in milliseconds since the Unix epoch. For tests and commands: a
 * server that accepts codes must not show them.
 *
 * @param secret in base32, as `beginTotp` returned it
 * @throws TypeError if the secret is not base32; it does not quote the secret
 */
export function totpCodeAt(secret: string, timeMillis: number, algorithm: TotpAlgorithm = 'SHA1'): string {
  const bytes = typeof secret === 'string' ? fromBase32(secret, RFC4648_ALPHABET) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError('totpCodeAt: secret must be base32 in upper case');
  return totpCode(bytes, stepAt(timeMillis), algorithm);
}
