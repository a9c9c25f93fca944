import { type Base64urlDecoder, type Base64urlEncoder, decodeBase64url, encodeBase64url } from './base64url.js';
import { type Carrier, ENVELOPE_VERSION, isKeyId, SUITE_NAME, WRAPPED_KEY_BYTES } from './protocol.js';
import { decodeUtf8, type TextDecoding } from './text-coding.js';

const NONCE_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const UNCOMPRESSED_POINT = 0x04;

/** Room in the text of an envelope for everything except `ct`: 237 characters of members, and white space. */
const TEXT_ALLOWANCE_BYTES = 1024;

/** A request's envelope, with its members decoded. */
export interface Envelope {
  /** `kid` on the wire. */
  readonly keyId: string;
  /** `ts` on the wire: the sender's clock, milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly nonce: Uint8Array;
  /** `ek` on the wire: the base key, wrapped by SM2. */
  readonly wrappedKey: Uint8Array;
  readonly iv: Uint8Array;
  /** Ciphertext, then tag. */
  readonly ct: Uint8Array;
}

/** A response's envelope, with its members decoded. */
export type ResponseEnvelope = Pick<Envelope, 'timestamp' | 'nonce' | 'iv' | 'ct'>;

/** The result of reading the text of a request's envelope. `reason` is for the log and never quotes the text. */
type Reading =
  | { readonly kind: 'read'; readonly envelope: Envelope }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'too-large' };

/** Maximum bytes of the text of an envelope, by the maximum bytes of its plaintext. */
export function maxTextBytes(maxPlaintextBytes: number): number {
  return 4 * Math.ceil((maxPlaintextBytes + TAG_BYTES) / 3) + TEXT_ALLOWANCE_BYTES;
}

/** Reads the envelope of a request: step 1 of the protocol, from the length of the text on. It uses no key. */
export function readEnvelope(
  text: Uint8Array,
  maxPlaintextBytes: number,
  decode: Base64urlDecoder = decodeBase64url,
): Reading {
  if (text.length > maxTextBytes(maxPlaintextBytes)) return { kind: 'too-large' };
  const members = readMembers(text, ['kid', 'ts', 'nonce', 'ek', 'iv', 'ct'], decodeUtf8);
  if (members === null) return malformed('not a JSON object with exactly the members kid, ts, nonce, ek, iv, ct');
  const { kid, ek } = members;
  if (!isKeyId(kid)) return malformed('kid: not 1 to 64 characters of A-Z a-z 0-9 . _ -');
  const common = readCommonMembers(members, decode);
  if (typeof common === 'string') return malformed(`${common}: ${MEMBER_FAULTS[common]}`);
  const wrappedKey = decodeMember(ek, WRAPPED_KEY_BYTES, decode);
  if (wrappedKey === null) return malformed(`ek: not base64url of ${WRAPPED_KEY_BYTES} bytes`);
  if (wrappedKey[0] !== UNCOMPRESSED_POINT) return malformed('ek: the first byte is not 04');
  if (common.ct.length > maxPlaintextBytes + TAG_BYTES) return { kind: 'too-large' };
  // The members are listed, because V8 gives an object that grows out of a spread a new shape, and repeats every
  // property look-up.
  const { timestamp, nonce, iv, ct } = common;
  return { kind: 'read', envelope: { keyId: kid, timestamp, nonce, wrappedKey, iv, ct } };
}

/** Reads the envelope of a response. Null if it is none. A client gives no reason, so its bundle has no texts. */
export function readResponseEnvelope(text: Uint8Array, decodeText: TextDecoding = decodeUtf8): ResponseEnvelope | null {
  const members = readMembers(text, ['ts', 'nonce', 'iv', 'ct'], decodeText);
  const envelope = members && readCommonMembers(members, decodeBase64url);
  return typeof envelope === 'string' ? null : envelope;
}

/** The JSON text of a request's envelope. */
export function writeEnvelope({ keyId, timestamp, nonce, wrappedKey, iv, ct }: Envelope): string {
  return JSON.stringify({
    kid: keyId,
    ts: timestamp,
    nonce: encodeBase64url(nonce),
    ek: encodeBase64url(wrappedKey),
    iv: encodeBase64url(iv),
    ct: encodeBase64url(ct),
  });
}

/** The JSON text of a response's envelope. */
export function writeResponseEnvelope(
  { timestamp, nonce, iv, ct }: ResponseEnvelope,
  encode: Base64urlEncoder = encodeBase64url,
): string {
  // No member needs an escape. JSON.stringify would check every character for one.
  return `{"ts":${timestamp},"nonce":"${encode(nonce)}","iv":"${encode(iv)}","ct":"${encode(ct)}"}`;
}

/** The values to which a request's envelope is bound, in addition to its own members. See `request-binding.ts`. */
export interface RequestBinding {
  readonly carrier: Carrier;
  readonly method: string;
  readonly path: string;
  /** The hash of the bearer token, or `-`. */
  readonly authorization: string;
  /** The value of `Idempotency-Key`, or `-`. */
  readonly idempotencyKey: string;
}

/** The additional authenticated data of a request: the UTF-8 bytes of this text. */
export function requestAad(
  { keyId, timestamp, nonce }: Pick<Envelope, 'keyId' | 'timestamp' | 'nonce'>,
  { carrier, method, path, authorization, idempotencyKey }: RequestBinding,
  encode: Base64urlEncoder = encodeBase64url,
): string {
  const head = headFields(keyId, carrier, timestamp, encode(nonce));
  return `${head}\n${method}\n${path}\n${authorization}\n${idempotencyKey}`;
}

/** The members of a request to which its response is bound. */
export interface AnsweredRequest {
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly method: string;
  readonly path: string;
}

/** The status of a response. That of an event of a stream also has its number, from 0. */
export type BoundStatus = number | `${number}\n${number}`;

/** Binds an event to its place in the stream: none is missing, none comes twice, and none is a response by itself. */
export function eventStatus(status: number, number: number): BoundStatus {
  return `${status}\n${number}`;
}

/** The additional authenticated data of a response: the UTF-8 bytes of this text. */
export function responseAad(
  { keyId, nonce, method, path }: AnsweredRequest,
  timestamp: number,
  status: BoundStatus,
  encode: Base64urlEncoder = encodeBase64url,
): string {
  return `${headFields(keyId, 'response', timestamp, encode(nonce))}\n${method}\n${path}\n${status}`;
}

/** The first fields of the additional authenticated data, in both directions. */
function headFields(keyId: string, direction: Carrier | 'response', timestamp: number, nonce: string): string {
  // A template writes an integer below 2^53 as its decimal digits, and -0 as 0.
  return `${ENVELOPE_VERSION}\n${SUITE_NAME}\n${keyId}\n${direction}\n${timestamp}\n${nonce}`;
}

function readMembers(
  text: Uint8Array,
  names: readonly string[],
  decodeText: TextDecoding,
): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(decodeText(text));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (Object.keys(value).length !== names.length || !names.every((name) => Object.hasOwn(value, name))) return null;
  return value as Record<string, unknown>;
}

/** The faults of members that both directions have. */
const MEMBER_FAULTS = {
  ts: 'not an integer from 0 to 2^53 - 1',
  nonce: 'not base64url of 16 bytes',
  iv: 'not base64url of 12 bytes',
  ct: 'not base64url of at least 16 bytes',
} as const;

/** The members of both directions, or the name of a bad one. */
function readCommonMembers(
  members: Readonly<Record<string, unknown>>,
  decode: Base64urlDecoder,
): ResponseEnvelope | keyof typeof MEMBER_FAULTS {
  const { ts } = members;
  if (typeof ts !== 'number' || !Number.isSafeInteger(ts) || ts < 0) return 'ts';
  const nonce = decodeMember(members.nonce, NONCE_BYTES, decode);
  if (nonce === null) return 'nonce';
  const iv = decodeMember(members.iv, IV_BYTES, decode);
  if (iv === null) return 'iv';
  const ct = typeof members.ct === 'string' ? decode(members.ct) : null;
  if (ct === null || ct.length < TAG_BYTES) return 'ct';
  return { timestamp: ts, nonce, iv, ct };
}

function decodeMember(value: unknown, bytes: number, decode: Base64urlDecoder): Uint8Array | null {
  // The length is checked first, so that long garbage is not decoded.
  if (typeof value !== 'string' || value.length !== Math.ceil((bytes * 4) / 3)) return null;
  return decode(value);
}

function malformed(reason: string): Reading {
  return { kind: 'malformed', reason };
}
