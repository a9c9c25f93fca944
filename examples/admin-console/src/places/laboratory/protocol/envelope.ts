import {
  type Carrier,
  ENVELOPE_PARAMETER,
  type EnvelopeBootstrap,
  type RequestState,
  sealRequest,
} from '@sallyport/envelope-crypto/client';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { bytesOfHex, decodeBase64url, encodeBase64url } from './base64url.js';
import type { PlainRequest } from './requests.js';

const TAG_BYTES = 16;

/** The members as they are on the wire. */
export interface WireMembers {
  readonly kid: string;
  readonly ts: number;
  readonly nonce: string;
  readonly ek: string;
  readonly iv: string;
  readonly ct: string;
}

/** A sealed request. */
export interface SealedEnvelope {
  readonly carrier: Carrier;
  readonly members: WireMembers;
  /** The body, or the query string, by the carrier. */
  readonly text: string;
  /** Opens the answer. */
  readonly requestState: RequestState;
}

/** The key of the service, as its bootstrap describes it. */
export type SealingKey = Pick<EnvelopeBootstrap, 'maxPayloadBytes' | 'maxQueryBytes'> & {
  readonly keyId: string;
  readonly publicKey: string;
};

/** Seals a request in a new envelope. Without a body it travels in the query. */
export function sealPlain(
  key: SealingKey,
  request: PlainRequest,
  { token, timestamp }: { readonly token: string | null; readonly timestamp: number },
): SealedEnvelope {
  const carrier = request.body === '' ? 'query' : 'body';
  const { text, requestState } = sealRequest(
    { ...key, publicKey: bytesOfHex(key.publicKey) },
    {
      carrier,
      method: request.method,
      path: request.path,
      authorization: tokenDigest(token),
      idempotencyKey: request.idempotencyKey ?? '-',
      timestamp,
      query: request.query,
      body: request.body,
    },
  );
  return { carrier, text, requestState, members: readMembers(carrier, text) };
}

/** What binds an envelope to its session: the SM3 digest of the token, in base64url. */
export function tokenDigest(token: string | null): string {
  return token === null ? '-' : encodeBase64url(sm3(new TextEncoder().encode(token)));
}

function readMembers(carrier: Carrier, text: string): WireMembers {
  const parameter = text.slice(ENVELOPE_PARAMETER.length + 1);
  const json = carrier === 'body' ? text : new TextDecoder().decode(decodeBase64url(parameter));
  const members: WireMembers = JSON.parse(json);
  return members;
}

function writeMembers(carrier: Carrier, members: WireMembers): string {
  const json = JSON.stringify(members);
  return carrier === 'body' ? json : `${ENVELOPE_PARAMETER}=${encodeBase64url(new TextEncoder().encode(json))}`;
}

/** What is encrypted: for a body the query string, a line feed, the JSON text. */
export function plaintextOf({ carrier }: Pick<SealedEnvelope, 'carrier'>, { query, body }: PlainRequest): string {
  return carrier === 'query' ? query : `${query}\n${body}`;
}

/** The ciphertext, and the tag behind it. */
export function splitCiphertext(ct: string): { readonly ciphertext: Uint8Array; readonly tag: Uint8Array } {
  const bytes = decodeBase64url(ct);
  return { ciphertext: bytes.slice(0, -TAG_BYTES), tag: bytes.slice(-TAG_BYTES) };
}

/** The parts of an envelope in which the laboratory flips a byte. */
export const FLIPPABLE = ['ct', 'tag', 'ek'] as const;
export type Flippable = (typeof FLIPPABLE)[number];

/** An empty plaintext has no ciphertext, only a tag. */
export function canFlip({ members }: Pick<SealedEnvelope, 'members'>, part: Flippable): boolean {
  return part !== 'ct' || splitCiphertext(members.ct).ciphertext.length > 0;
}

/** The envelope with one byte inverted: the first of the ciphertext, or the last of the tag or of the wrapped key. */
export function flipByte(envelope: SealedEnvelope, part: Flippable): SealedEnvelope {
  const { carrier, members } = envelope;
  const name = part === 'ek' ? 'ek' : 'ct';
  const bytes = decodeBase64url(members[name]);
  const index = part === 'ct' ? 0 : bytes.length - 1;
  const flipped = bytes.map((byte, at) => (at === index ? byte ^ 0xff : byte));
  const changed = { ...members, [name]: encodeBase64url(flipped) };
  return { ...envelope, members: changed, text: writeMembers(carrier, changed) };
}

/** The fields of the associated data, in their order. */
export const BOUND_FIELDS = [
  'version',
  'suite',
  'kid',
  'carrier',
  'ts',
  'nonce',
  'method',
  'path',
  'authorization',
  'idempotencyKey',
] as const;
export type BoundField = (typeof BOUND_FIELDS)[number];

/** What the tag proves with the plaintext. Joined by line feeds, the values are the associated data of SM4-GCM. */
export function boundValues(
  { carrier, members }: Pick<SealedEnvelope, 'carrier' | 'members'>,
  { method, path, idempotencyKey }: PlainRequest,
  token: string | null,
): Readonly<Record<BoundField, string>> {
  return {
    version: 'v1',
    suite: 'sm2-sm4-gcm-v1',
    kid: members.kid,
    carrier,
    ts: String(members.ts),
    nonce: members.nonce,
    method,
    path,
    authorization: tokenDigest(token),
    idempotencyKey: idempotencyKey ?? '-',
  };
}
