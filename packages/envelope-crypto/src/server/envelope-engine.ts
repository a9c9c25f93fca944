import { setImmediate } from 'node:timers/promises';
import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeKeyUnavailableError,
  EnvelopeKeyUnknownError,
  EnvelopeMalformedError,
  EnvelopeRejectedError,
  EnvelopeTooLargeError,
} from '../errors.js';
import type { ServerKeys } from '../keys/index.js';
import type { EnvelopeSuite } from '../suites/index.js';
import {
  type AnsweredRequest,
  BASE_KEY_BYTES,
  type BoundStatus,
  type Carrier,
  type Envelope,
  MAX_QUERY_BYTES,
  type RequestBinding,
  readEnvelope,
  requestAad,
  responseAad,
  writeResponseEnvelope,
} from '../wire/index.js';
import { decodeBase64url, encodeBase64url } from './node-base64url.js';
import { createRandomSource } from './random-source.js';

/** Options of {@link createEnvelopeOpener}. */
export interface EnvelopeOpenerOptions {
  readonly suite: EnvelopeSuite;
  readonly keys: Pick<ServerKeys, 'has' | 'unwrap'>;
  /** Maximum difference of a timestamp from the service's clock, in seconds, inclusive. */
  readonly timestampWindowSeconds: number;
  /** Maximum plaintext bytes of a body envelope. A query envelope may have as many, up to 4096. */
  readonly maxPayloadBytes: number;
}

/** A request whose envelope is authentic. It may still be a replay. */
export interface OpenedRequest {
  readonly keyId: string;
  readonly timestamp: number;
  readonly nonce: Uint8Array;
  readonly binding: RequestBinding;
  readonly plaintext: Uint8Array;
  readonly responseKey: Uint8Array;
}

/** Steps 1 to 5 of the protocol. */
export interface EnvelopeOpener {
  /** Maximum plaintext bytes of an envelope, by carrier. */
  maxPlaintextBytes(carrier: Carrier): number;

  /** From now on, step 3 also refuses timestamps before this time (milliseconds since the Unix epoch). */
  refuseStampedBefore(millis: number): void;

  /**
   * Opens an envelope. Rejects with the refusal that wins.
   *
   * @param receivedAt the request's one reading of the clock, or null to open an envelope of any stamp: step 3 is left
   * out
   */
  open(text: Uint8Array, binding: RequestBinding, receivedAt: number | null): Promise<OpenedRequest>;
}

/**
 * From this length on, each step of the work on a message has its own turn of the event loop, so that other work waits
 * less.
 */
const MIN_LARGE_BYTES = 16_384;

/** Whether to yield to the event loop between the steps of the work on this message. */
export function isLarge(message: Uint8Array): boolean {
  return message.length >= MIN_LARGE_BYTES;
}

const yieldToEventLoop = (): Promise<void> => setImmediate();

/** Opens the envelopes of requests. It decides which refusal takes precedence, and does not know HTTP. */
export function createEnvelopeOpener(options: EnvelopeOpenerOptions): EnvelopeOpener {
  const { suite, keys, maxPayloadBytes } = options;
  const windowMillis = options.timestampWindowSeconds * 1000;
  const maxBytes: Readonly<Record<Carrier, number>> = {
    body: maxPayloadBytes,
    query: Math.min(MAX_QUERY_BYTES, maxPayloadBytes),
  };
  const drawDecoy = createRandomSource(BASE_KEY_BYTES);
  let notBefore = Number.NEGATIVE_INFINITY;

  function checkFreshness({ timestamp }: Envelope, receivedAt: number): void {
    // The condition is positive, so that nothing is fresh if the clock returns NaN.
    const isFresh = Math.abs(receivedAt - timestamp) <= windowMillis && timestamp >= notBefore;
    if (!isFresh) throw new EnvelopeExpiredOrReplayedError(receivedAt);
  }

  return {
    maxPlaintextBytes: (carrier) => maxBytes[carrier],

    refuseStampedBefore(millis) {
      notBefore = Math.max(notBefore, millis);
    },

    async open(text, binding, receivedAt) {
      const envelope = readShape(text, maxBytes[binding.carrier]);
      if (!keys.has(envelope.keyId)) throw new EnvelopeKeyUnknownError();
      if (receivedAt !== null) checkFreshness(envelope, receivedAt);

      let unwrapped: Uint8Array | null;
      try {
        const answer = keys.unwrap(envelope.keyId, envelope.wrappedKey);
        // A key that is available at once is not awaited: `await` looks for `then` on bytes but not on null, which the
        // time reveals.
        unwrapped = answer instanceof Promise ? await answer : answer;
      } catch (cause) {
        throw cause instanceof EnvelopeKeyUnavailableError ? cause : new EnvelopeKeyUnavailableError({ cause });
      }
      if (unwrapped?.length !== BASE_KEY_BYTES) unwrapped = null;
      if (isLarge(text)) await yieldToEventLoop();
      // Step 4: a wrapped key that does not open costs the same GCM as a wrong tag, so that timing does not distinguish
      // them. The random key is drawn for every envelope, because the time would reveal a draw that is made only if
      // needed.
      const decoy = drawDecoy();
      const baseKey = unwrapped ?? decoy;
      const { requestKey, responseKey } = suite.deriveKeys(baseKey, envelope.nonce, envelope.keyId);
      const aad = Buffer.from(requestAad(envelope, binding, encodeBase64url));
      const { iv, ct } = envelope;
      const plaintext =
        isLarge(text) && suite.inTurns !== undefined
          ? await suite.inTurns.open(requestKey, iv, aad, ct, yieldToEventLoop)
          : suite.openMessage(requestKey, iv, aad, ct);
      baseKey.fill(0);
      decoy.fill(0);
      requestKey.fill(0);
      if (unwrapped === null || plaintext === null) {
        responseKey.fill(0);
        const reason = unwrapped === null ? 'the wrapped key does not open' : 'the tag does not fit';
        throw new EnvelopeRejectedError({ cause: new Error(reason) });
      }
      const { keyId, timestamp, nonce } = envelope;
      return { keyId, timestamp, nonce, binding, plaintext, responseKey };
    },
  };
}

function readShape(text: Uint8Array, maxPlaintextBytes: number): Envelope {
  const reading = readEnvelope(text, maxPlaintextBytes, decodeBase64url);
  switch (reading.kind) {
    case 'read':
      return reading.envelope;
    case 'too-large':
      throw new EnvelopeTooLargeError();
    case 'malformed':
      throw new EnvelopeMalformedError({ cause: new Error(reading.reason) });
  }
}

/** The values of a response in addition to those of its request. */
export interface Answer {
  readonly status: BoundStatus;
  /** The service's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** 12 bytes, never used twice with one response key. */
  readonly iv: Uint8Array;
  readonly plaintext: Uint8Array;
}

type SealedFor = AnsweredRequest & { readonly responseKey: Uint8Array };

/** Seals the answer to a request: the text of its envelope. */
export function sealResponse(suite: EnvelopeSuite, request: SealedFor, answer: Answer): string {
  const ct = suite.sealMessage(request.responseKey, answer.iv, answerAad(request, answer), answer.plaintext);
  return answerText(request, answer, ct);
}

/** {@link sealResponse} for a large answer. Yields to the event loop first, and between the suite's long steps. */
export async function sealLargeResponse(suite: EnvelopeSuite, request: SealedFor, answer: Answer): Promise<string> {
  await yieldToEventLoop();
  if (suite.inTurns === undefined) return sealResponse(suite, request, answer);
  const { iv, plaintext } = answer;
  const aad = answerAad(request, answer);
  const ct = await suite.inTurns.seal(request.responseKey, iv, aad, plaintext, yieldToEventLoop);
  return answerText(request, answer, ct);
}

function answerAad(request: SealedFor, { timestamp, status }: Answer): Uint8Array {
  return Buffer.from(responseAad(request, timestamp, status, encodeBase64url));
}

function answerText({ nonce }: SealedFor, { timestamp, iv }: Answer, ct: Uint8Array): string {
  return writeResponseEnvelope({ timestamp, nonce, iv, ct }, encodeBase64url);
}
