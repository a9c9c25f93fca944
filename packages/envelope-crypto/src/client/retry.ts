import { type EnvelopeBootstrap, isJsonContentType } from '../wire/index.js';
import type { BootstrapCache } from './bootstrap.js';
import type { OutgoingRequest } from './outgoing-request.js';
import type { ServiceClock } from './service-clock.js';

/** The members of a refusal that a client acts on. It is plaintext, so nothing else of it is trusted. */
export interface Refusal {
  readonly code?: unknown;
  readonly serverTime?: unknown;
}

/** RFC 9110, section 9.2.1, without TRACE, which fetch does not send. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Reads a refusal from a copy of the response. */
export async function readRefusal(response: Response): Promise<Refusal> {
  if (response.status !== 400 || !isJsonContentType(response.headers.get('content-type'))) return {};
  const copy = response.clone();
  const refusal: unknown = await copy.json().catch(() => null);
  return typeof refusal === 'object' && refusal !== null ? refusal : {};
}

/** The bootstrap for the one retry that the protocol allows. Null if the refusal is final. */
export async function bootstrapForRetry(
  { code, serverTime }: Refusal,
  { method, headers }: OutgoingRequest,
  stale: EnvelopeBootstrap,
  bootstraps: BootstrapCache,
  clock: ServiceClock,
): Promise<EnvelopeBootstrap | null> {
  if (code === 'ENVELOPE_KEY_UNKNOWN') {
    const fresh = await bootstraps.after(stale);
    // A mode OFF at this point may come from an attacker who wants to read this request.
    return fresh.mode !== 'OFF' && fresh.keyId !== stale.keyId ? fresh : null;
  }
  if (code !== 'ENVELOPE_EXPIRED_OR_REPLAYED') return null;
  const isBelieved =
    typeof serverTime === 'number' && Number.isSafeInteger(serverTime) && (await clock.correct(serverTime));
  // The envelope may have been sent twice, and the first copy have taken effect. So a retry must be harmless.
  const isHarmless = SAFE_METHODS.includes(method) || headers.has('idempotency-key');
  return isBelieved && isHarmless ? stale : null;
}
