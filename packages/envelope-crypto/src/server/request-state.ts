import type { Carrier, RequestBinding } from '../wire/index.js';
import type { OpenedRequest } from './envelope-engine.js';
import type { ReleaseRawUrl, ReleaseReply } from './raw-access.js';

/** The key of a request's private {@link RequestState}. */
export const kRequestState = Symbol('@sallyport/envelope-crypto: request state');

/** The progress of the protocol with one request and its response. */
export type RequestState =
  /** Plaintext, as in mode OFF. */
  | { readonly stage: 'exempt' }
  /** Plaintext, in mode OPTIONAL. */
  | { readonly stage: 'plaintext' }
  /** Refused before rate limiting. The refusal is sent after it. */
  | { readonly stage: 'refused'; readonly refusal: unknown }
  /** The envelope is in the body. The body is not read yet. */
  | { readonly stage: 'awaiting-body'; readonly binding: RequestBinding }
  /** The text of the body is read, but no key has been used yet. */
  | { readonly stage: 'awaiting-opening'; readonly binding: RequestBinding; readonly text: Uint8Array }
  /** Authentic. The plaintext waits for the replay guard. */
  | { readonly stage: 'opened'; readonly envelope: OpenedEnvelope; readonly opened: OpenedRequest }
  /** Query and body of the request are those of the envelope. */
  | {
      readonly stage: 'delivered';
      readonly envelope: OpenedEnvelope;
      readonly opened: Answerable;
      readonly releaseRawUrl: ReleaseRawUrl | null;
      readonly releaseReply: ReleaseReply;
    }
  /** The path is unknown, so nothing is delivered. */
  | {
      readonly stage: 'unknown-path';
      readonly envelope: OpenedEnvelope;
      readonly opened: Answerable;
      readonly releaseRawUrl: ReleaseRawUrl | null;
      readonly releaseReply: ReleaseReply;
    }
  /** The envelope asked for the time, and carried no request. It is of any stamp, and may have come before. */
  | { readonly stage: 'asked-for-time'; readonly opened: Answerable }
  /** Sealing failed. What follows is plaintext, without data. */
  | { readonly stage: 'unsealable' };

/** The part of an opened request that is needed to seal its response. */
export type Answerable = Pick<OpenedRequest, 'keyId' | 'nonce' | 'binding' | 'responseKey'>;

/** Whether the content of the envelope has been delivered, or withheld from the handler of an unknown path. */
export function isDelivered(state: RequestState | null): boolean {
  return state?.stage === 'delivered' || state?.stage === 'unknown-path' || state?.stage === 'unsealable';
}

/** The request for which the response must be sealed. Null if the response is sent as plaintext. */
export function answerableOf(state: RequestState | null): Answerable | null {
  if (state?.stage === 'asked-for-time') return state.opened;
  if (state?.stage !== 'opened' && state?.stage !== 'delivered' && state?.stage !== 'unknown-path') return null;
  return state.envelope.state === 'claimed' ? state.opened : null;
}

/** An envelope that is authentic and in time. The replay guard decides whether it is used for the first time. */
export interface OpenedEnvelope {
  /** The id of the key for which the envelope was sealed. */
  readonly keyId: string;
  /** The decoded nonce: 16 bytes. */
  readonly nonce: Uint8Array;
  /** The client's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** The request's only reading of this service's clock, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The window against which the timestamp was checked, in seconds. */
  readonly timestampWindowSeconds: number;
  readonly carrier: Carrier;
  /**
   * `opened` until the replay guard has recorded `(keyId, nonce)`, then `claimed`. Only a claimed envelope's plaintext
   * is delivered, and only its response is sealed. `replayed`: the replay guard has found the pair. It stays `opened`
   * if it is refused for any other reason, which can happen to an honest client.
   */
  readonly state: 'opened' | 'claimed' | 'replayed';
  /** Only for the replay guard: it has recorded the pair, and this is the first use. */
  markClaimed(): void;
  /** Only for the replay guard: the pair was used before. */
  markReplayed(): void;
}

/** The view of an opened request for other plugins, without keys and plaintext. */
export function presentEnvelope(
  { keyId, nonce, timestamp, binding }: OpenedRequest,
  receivedAt: number,
  timestampWindowSeconds: number,
): OpenedEnvelope {
  // There is no getter, because a literal with a getter takes a microsecond to create, for every request.
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
    markReplayed() {
      envelope.state = 'replayed';
    },
  };
  return envelope;
}
