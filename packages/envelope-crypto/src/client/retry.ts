import type { EnvelopeBootstrap } from '../server/envelope-crypto.js';
import { isJsonContentType } from '../wire/envelope.js';
import type { BootstrapCache } from './bootstrap-cache.js';
import type { OutgoingRequest } from './outgoing-request.js';
import type { ServiceClock } from './service-clock.js';

/** What a refusal says that a client may act on. It comes in the clear: nothing of it is trusted further. */
export interface Refusal {
  readonly code?: unknown;
  readonly serverTime?: unknown;
}

/** RFC 9110, section 9.2.1, as far as fetch sends them. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Reads a refusal, and leaves the response to its owner. */
export async function readRefusal(response: Response): Promise<Refusal> {
  if (response.status !== 400 || !isJsonContentType(response.headers.get('content-type'))) return {};
  const copy = response.clone();
  const refusal: unknown = await copy.json().catch(() => null);
  return typeof refusal === 'object' && refusal !== null ? refusal : {};
}

/** The description for the one repetition that the protocol allows; null where the refusal stands. */
export async function bootstrapForRetry(
  { code, serverTime }: Refusal,
  { method, headers }: OutgoingRequest,
  stale: EnvelopeBootstrap,
  bootstraps: BootstrapCache,
  clock: ServiceClock,
): Promise<EnvelopeBootstrap | null> {
  if (code === 'ENVELOPE_KEY_UNKNOWN') {
    const fresh = await bootstraps.after(stale);
    // A mode OFF that comes only now could be somebody's wish to read this very request.
    return fresh.mode !== 'OFF' && fresh.keyId !== stale.keyId ? fresh : null;
  }
  if (code !== 'ENVELOPE_EXPIRED_OR_REPLAYED') return null;
  const isBelieved =
    typeof serverTime === 'number' && Number.isSafeInteger(serverTime) && (await clock.correct(serverTime));
  // Somebody may have sent the envelope twice, and the first of the two taken effect: repeating must do no harm.
  const isHarmless = SAFE_METHODS.includes(method) || headers.has('idempotency-key');
  return isBelieved && isHarmless ? stale : null;
}
