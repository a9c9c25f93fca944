import type { FastifyRequest } from 'fastify';
import { EnvelopeSealingFailedError } from '../errors.js';
import type { EnvelopeSuite } from '../suites/index.js';
import { eventStatus } from '../wire/index.js';
import { sealResponse } from './envelope-engine.js';
import { answerableOf, kRequestState } from './request-state.js';

/** Seals the data of one event after the other. */
export type SealEvent = (data: string) => string;

export interface EventSealingDependencies {
  readonly suite: EnvelopeSuite;
  readonly now: () => number;
  readonly drawIv: () => Uint8Array;
}

/** The status of every stream of events. */
const STATUS = 200;

const unchanged: SealEvent = (data) => data;

/** In mode OFF. */
export const sealNoEvents = (): SealEvent => unchanged;

/**
 * A stream of events is no JSON, so it is not sealed as a whole, and each of its events is a message of its own. An
 * event is bound to the request, as a response is, and to its place in the stream.
 */
export function createEventSealing({ suite, now, drawIv }: EventSealingDependencies) {
  return function sealEvents(request: FastifyRequest): SealEvent {
    const state = request[kRequestState];
    if (state === null || state.stage === 'exempt' || state.stage === 'plaintext') return unchanged;
    const answerable = answerableOf(state);
    if (answerable === null)
      throw new EnvelopeSealingFailedError({ cause: new Error('the request was not delivered') });
    const { keyId, nonce, responseKey, binding } = answerable;
    const answered = { keyId, nonce, responseKey, method: binding.method, path: binding.path };
    let events = 0;
    return function sealEvent(data) {
      const status = eventStatus(STATUS, events++);
      return sealResponse(suite, answered, { status, timestamp: now(), iv: drawIv(), plaintext: Buffer.from(data) });
    };
  };
}
