import { SM2_OVERHEAD_BYTES } from '../gm/index.js';

/** The header that marks a message as an envelope, on requests and on responses. */
export const ENVELOPE_HEADER = 'api-encryption';

/** The only value of {@link ENVELOPE_HEADER} that this protocol defines. */
export const ENVELOPE_VERSION = 'v1';

/** The query parameter that carries an envelope. */
export const ENVELOPE_PARAMETER = '__enc';

/** The name of the suite in the bootstrap, in the key derivation and in the additional authenticated data. */
export const SUITE_NAME = 'sm2-sm4-gcm-v1';

/** Bytes of the base key that a request wraps, and of each of the two keys derived from it. */
export const BASE_KEY_BYTES = 16;

/** Bytes of a wrapped base key: C1, C3 and C2 of SM2. */
export const WRAPPED_KEY_BYTES = SM2_OVERHEAD_BYTES + BASE_KEY_BYTES;

/** Maximum plaintext bytes of a query envelope, which fit a request line of 16 KiB after two rounds of base64. */
export const MAX_QUERY_BYTES = 4096;

/** Routes that are always exempt: health checks, the bootstrap, and files that a browser fetches natively. */
export const DEFAULT_BYPASS_ROUTES: readonly string[] = [
  '/actuator/health',
  '/encryption/public-key GET',
  '/public/storage/preview GET',
  '/public/storage/download GET',
];

/** The place of a request's envelope. It is bound into the ciphertext. */
export type Carrier = 'body' | 'query';

/** How the service treats envelopes. */
export type EncryptionMode = 'OFF' | 'OPTIONAL' | 'REQUIRED';

/** The answer of the bootstrap endpoint. Every field is public. The protocol defines its shape. */
export interface EnvelopeBootstrap {
  readonly mode: EncryptionMode;
  readonly suite: typeof SUITE_NAME;
  readonly version: 1;
  /** Absent in mode OFF without a key. */
  readonly keyId?: string;
  /** 130 lower-case hexadecimal characters: 04, x, y. Absent in mode OFF without a key. */
  readonly publicKey?: string;
  readonly timestampWindowSeconds: number;
  readonly maxPayloadBytes: number;
  readonly maxQueryBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly serverTime: number;
  /**
   * The exempt routes, `PATH` or `PATH METHOD`, with `:name` for a variable segment. The list is for people and
   * consoles. It is not authenticated, so a client ignores it and never sends in the clear because of it.
   */
  readonly exempt: readonly string[];
}

/** Whether the value may be the `kid` of an envelope: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
export function isKeyId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value);
}

/** Whether bodies of the media type are sealed: `application/json`, or any type with the suffix `+json`. */
export function isJsonContentType(contentType: string | null | undefined): boolean {
  if (!contentType) return false;
  const essence = mediaTypeOf(contentType);
  return essence === 'application/json' || essence.endsWith('+json');
}

/** The media type of a `Content-Type`, without its parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
