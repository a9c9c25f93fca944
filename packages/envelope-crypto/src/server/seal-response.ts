import type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { type AnsweredRequest, responseAad, writeResponseEnvelope } from '../wire/envelope.js';
import { nextTurn } from './event-loop.js';
import { encodeBase64url } from './node-base64url.js';

/** What a response adds to the request that it answers. */
export interface Answer {
  readonly status: number;
  /** The service's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** 12 bytes that never meet the same response key again. */
  readonly iv: Uint8Array;
  readonly plaintext: Uint8Array;
}

type SealedFor = AnsweredRequest & { readonly responseKey: Uint8Array };

/** The text of the envelope that answers a request. */
export function sealResponse(suite: EnvelopeSuite, request: SealedFor, answer: Answer): string {
  const ct = suite.sealMessage(request.responseKey, answer.iv, aadOf(request, answer), answer.plaintext);
  return textOf(request, answer, ct);
}

/** {@link sealResponse} for a large answer: others have their turn before it, and in between where the suite takes long. */
export async function sealLargeResponse(suite: EnvelopeSuite, request: SealedFor, answer: Answer): Promise<string> {
  await nextTurn();
  if (suite.inTurns === undefined) return sealResponse(suite, request, answer);
  const { iv, plaintext } = answer;
  const ct = await suite.inTurns.seal(request.responseKey, iv, aadOf(request, answer), plaintext, nextTurn);
  return textOf(request, answer, ct);
}

function aadOf(request: SealedFor, { timestamp, status }: Answer): Uint8Array {
  return Buffer.from(responseAad(request, timestamp, status, encodeBase64url));
}

function textOf({ nonce }: SealedFor, { timestamp, iv }: Answer, ct: Uint8Array): string {
  return writeResponseEnvelope({ timestamp, nonce, iv, ct }, encodeBase64url);
}
