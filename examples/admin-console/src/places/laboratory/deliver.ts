import { EnvelopeClientError } from '@sallyport/envelope-crypto/client';
import {
  type Answer,
  bodyOf,
  headersOf,
  readAnswer,
  type Sent,
  type ServiceClock,
  targetOf,
} from './protocol/delivery.js';

/** Sends a request, byte for byte as it is described. */
export async function deliver(sent: Sent, clock: ServiceClock): Promise<Answer> {
  const { method } = sent.request;
  const init = { method, headers: headersOf(sent), body: bodyOf(sent) };
  try {
    const response = await fetch(targetOf(sent), { ...init, cache: 'no-store', redirect: 'manual' });
    return readAnswer(sent, response, new Uint8Array(await response.arrayBuffer()), clock);
  } catch (error) {
    if (error instanceof EnvelopeClientError) return { kind: 'untrusted' };
    if (error instanceof TypeError) return { kind: 'lost' };
    throw error;
  }
}
