import { type AnsweredRequest, responseAad, writeResponseEnvelope } from './envelope.js';
import { encodeBase64url } from './node-base64url.js';
import type { EnvelopeSuite } from './suites/sm2-sm4-gcm-v1.js';

/** What a response adds to the request that it answers. */
export interface Answer {
  readonly status: number;
  /** The service's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** 12 bytes that never meet the same response key again. */
  readonly iv: Uint8Array;
  readonly plaintext: Uint8Array;
}

/** The text of the envelope that answers a request. */
export function sealResponse(
  suite: EnvelopeSuite,
  request: AnsweredRequest & { readonly responseKey: Uint8Array },
  { status, timestamp, iv, plaintext }: Answer,
): string {
  const aad = Buffer.from(responseAad(request, timestamp, status, encodeBase64url));
  const ct = suite.sealMessage(request.responseKey, iv, aad, plaintext);
  return writeResponseEnvelope({ timestamp, nonce: request.nonce, iv, ct }, encodeBase64url);
}
