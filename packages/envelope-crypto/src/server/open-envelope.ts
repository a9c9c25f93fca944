import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeKeyUnavailableError,
  EnvelopeKeyUnknownError,
  EnvelopeMalformedError,
  EnvelopeRejectedError,
  EnvelopeTooLargeError,
} from '../errors.js';
import type { ServerKeys } from '../keys/server-keys.js';
import { BASE_KEY_BYTES, type EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import {
  type Carrier,
  type Envelope,
  MAX_QUERY_BYTES,
  type RequestBinding,
  readEnvelope,
  requestAad,
} from '../wire/envelope.js';
import { isLarge, nextTurn } from './event-loop.js';
import { decodeBase64url, encodeBase64url } from './node-base64url.js';
import { createRandomSource } from './random-source.js';

/** What an engine needs to open envelopes. */
export interface EnvelopeOpenerOptions {
  readonly suite: EnvelopeSuite;
  readonly keys: Pick<ServerKeys, 'has' | 'unwrap'>;
  /** How far a timestamp may be from the service's clock, in seconds; the edge is inside. */
  readonly timestampWindowSeconds: number;
  /** The most plaintext bytes of a body envelope; a query envelope may have as many, and at most 4096. */
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

/** The engine of steps 1 to 5. */
export interface EnvelopeOpener {
  /** The most plaintext bytes that an envelope of this carrier may have. */
  maxPlaintextBytes(carrier: Carrier): number;

  /** From now on, step 3 also refuses what was stamped before this time (milliseconds since the Unix epoch). */
  refuseStampedBefore(millis: number): void;

  /** Opens an envelope; `receivedAt` is the request's one reading of the clock. Rejects with the refusal that wins. */
  open(text: Uint8Array, binding: RequestBinding, receivedAt: number): Promise<OpenedRequest>;
}

/** The engine that opens the envelopes of requests: it knows which refusal wins, and nothing of HTTP. */
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
    // What must hold is asked, not what must not: with a clock that yields no number nothing is fresh.
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
      checkFreshness(envelope, receivedAt);

      let unwrapped: Uint8Array | null;
      try {
        unwrapped = await keys.unwrap(envelope.keyId, envelope.wrappedKey);
      } catch (cause) {
        throw cause instanceof EnvelopeKeyUnavailableError ? cause : new EnvelopeKeyUnavailableError({ cause });
      }
      if (unwrapped?.length !== BASE_KEY_BYTES) unwrapped = null;
      if (isLarge(text)) await nextTurn();
      // Step 4: a wrapped key that doesn't open costs the same GCM as a wrong tag, so that the two can't be told apart. The
      // random key is drawn for every envelope: drawn where it is used only, it would tell them apart by its own time.
      const decoy = drawDecoy();
      const baseKey = unwrapped ?? decoy;
      const { requestKey, responseKey } = suite.deriveKeys(baseKey, envelope.nonce, envelope.keyId);
      const aad = Buffer.from(requestAad(envelope, binding, encodeBase64url));
      const { iv, ct } = envelope;
      const plaintext =
        isLarge(text) && suite.inTurns !== undefined
          ? await suite.inTurns.open(requestKey, iv, aad, ct, nextTurn)
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
