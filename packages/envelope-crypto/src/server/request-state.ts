import type { RequestBinding } from '../wire/envelope.js';
import type { OpenedRequest } from './open-envelope.js';
import type { OpenedEnvelope } from './opened-envelope.js';

/** Where a request keeps its {@link Exchange}; nobody else has the key. */
export const kExchange = Symbol('@sallyport/envelope-crypto: exchange');

/** How far the protocol has come with one request and its response. */
export type Exchange =
  /** In the clear, as if the mode were OFF. */
  | { readonly stage: 'exempt' }
  /** In the clear, in mode OPTIONAL. */
  | { readonly stage: 'plaintext' }
  /** Refused before rate limiting, and to be told so after it. */
  | { readonly stage: 'refused'; readonly refusal: unknown }
  /** The envelope is in the body, which isn't read yet. */
  | { readonly stage: 'awaiting-body'; readonly binding: RequestBinding }
  /** The text of the body is read, and no key touched. */
  | { readonly stage: 'awaiting-opening'; readonly binding: RequestBinding; readonly text: Uint8Array }
  /** Authentic; the plaintext waits for the replay guard. */
  | { readonly stage: 'opened'; readonly envelope: OpenedEnvelope; readonly opened: OpenedRequest }
  /** The handler's door: query and body are those of the envelope. */
  | { readonly stage: 'delivered'; readonly envelope: OpenedEnvelope; readonly opened: Answerable }
  /** Sealing failed: what follows goes out in the clear, and carries no data. */
  | { readonly stage: 'unsealable' };

/** What is left of an opened request once its plaintext is delivered. */
export type Answerable = Pick<OpenedRequest, 'keyId' | 'nonce' | 'binding' | 'responseKey'>;

/** What the response must be sealed for; null if it goes out in the clear. */
export function answerableOf(exchange: Exchange | null): Answerable | null {
  if (exchange?.stage !== 'opened' && exchange?.stage !== 'delivered') return null;
  return exchange.envelope.state === 'claimed' ? exchange.opened : null;
}
