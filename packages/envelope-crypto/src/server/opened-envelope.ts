import type { Carrier } from '../wire/envelope.js';
import type { OpenedRequest } from './open-envelope.js';

/** A request's envelope, authentic and in time. Whether it is used for the first time, the replay guard decides. */
export interface OpenedEnvelope {
  /** The key that it was sealed for. */
  readonly keyId: string;
  /** The decoded nonce: 16 bytes. */
  readonly nonce: Uint8Array;
  /** The client's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** The request's one reading of this service's clock, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The window that the timestamp was checked against, in seconds. */
  readonly timestampWindowSeconds: number;
  readonly carrier: Carrier;
  /**
   * `opened` until the replay guard has recorded `(keyId, nonce)`, then `claimed`. Only a claimed envelope's plaintext is
   * delivered, and only its response is sealed.
   */
  readonly state: 'opened' | 'claimed';
  /** For the replay guard alone: the pair is recorded, and this is its first use. */
  markClaimed(): void;
}

/** The view of an opened request that other plugins may have: no key and no plaintext. */
export function presentEnvelope(
  { keyId, nonce, timestamp, binding }: OpenedRequest,
  receivedAt: number,
  timestampWindowSeconds: number,
): OpenedEnvelope {
  // No getter: a literal with one takes a microsecond to make, and there is one for each request.
  const envelope: { -readonly [Member in keyof OpenedEnvelope]: OpenedEnvelope[Member] } = {
    keyId,
    nonce,
    timestamp,
    receivedAt,
    timestampWindowSeconds,
    carrier: binding.carrier,
    state: 'opened',
    markClaimed() {
      envelope.state = 'claimed';
    },
  };
  return envelope;
}
