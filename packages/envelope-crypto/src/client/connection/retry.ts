import type { EnvelopeRefusalCode } from '../../refusals.js';
import { type EnvelopeBootstrap, isJsonContentType, type TextDecoding } from '../../wire/index.js';
import type { Answer } from './answer.js';
import { type BootstrapCache, isCount, readJson } from './bootstrap.js';
import type { ConnectionRequest } from './connection-request.js';
import type { ServiceClock } from './service-clock.js';

/** The members of a refusal that a client uses. The refusal is plaintext, so nothing else of it is trusted. */
export interface Refusal {
  /** Or one of another plugin. */
  readonly code?: EnvelopeRefusalCode;
  readonly serverTime?: unknown;
}

/** RFC 9110, section 9.2.1, without TRACE, which fetch does not send. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Reads the refusal in an answer. */
export async function readRefusal(answer: Answer, decodeText: TextDecoding): Promise<Refusal> {
  if (answer.status !== 400 || !isJsonContentType(answer.headers.get('content-type'))) return {};
  return readJson(answer, decodeText).catch(() => ({})) as Promise<Refusal>;
}

/** The bootstrap for the one retry that the protocol allows. Null if the refusal is final. */
export async function bootstrapForRetry(
  { code, serverTime }: Refusal,
  { method, idempotencyKey, signal }: ConnectionRequest,
  stale: EnvelopeBootstrap,
  bootstraps: BootstrapCache,
  clock: ServiceClock,
): Promise<EnvelopeBootstrap | null> {
  const isExpired = code === 'ENVELOPE_EXPIRED_OR_REPLAYED';
  if (isExpired) {
    // The envelope may have been sent twice, and the first copy may have taken effect. A retry must therefore be
    // harmless.
    const isHarmless = SAFE_METHODS.includes(method) || idempotencyKey !== null;
    if (isCount(serverTime) && clock.correct(serverTime)) return isHarmless ? stale : null;
    // Fastify's own error handler leaves the time out. One that is far ahead has to be sealed. The bootstrap has the
    // time, or asks for it: here, or for the next request.
    if (!isHarmless) {
      bootstraps.forget();
      return null;
    }
  } else if (code !== 'ENVELOPE_KEY_UNKNOWN') return null;
  const fresh = await bootstraps.after(stale, signal);
  // Mode OFF is accepted here only if the application has called resetEncryption() in the meantime. The request stays
  // sealed.
  return fresh.mode !== 'OFF' && (isExpired || fresh.keyId !== stale.keyId) ? fresh : null;
}
