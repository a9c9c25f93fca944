import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { EnvelopeKeyUnavailableError, EnvelopeQueueFullError } from '../errors.js';
import { isSm2PublicKey, SM2_POINT_BYTES } from '../gm/index.js';
import { BASE_KEY_BYTES, WRAPPED_KEY_BYTES } from '../wire/index.js';

/**
 * A key-management service that keeps the private key and offers only the unwrapping of base keys.
 *
 * Each encrypted request costs one call of `unwrap`, so its latency adds to every encrypted request.
 */
export interface KeyProvider {
  /** Identifier of the provider's current key. 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
  readonly keyId: string;

  /** The public key of {@link KeyProvider.keyId}: 130 hexadecimal characters, `04`, x, y. */
  readonly publicKey: string;

  /** Earlier keys with which the provider still unwraps. Default: none. */
  readonly previousKeyIds?: readonly string[];

  /**
   * Decrypts an SM2 ciphertext (113 bytes: `04`, C1, C3, C2) with the key of that id. Resolves to the 16-byte base key,
   * or to null when the service refuses the ciphertext. A rejection means "unreachable": the request is answered 503.
   * The caller overwrites the bytes with zeros after use, so a provider that caches them must resolve to a copy.
   *
   * `signal` aborts at the timeout. A call that ignores it counts as concurrent until it settles.
   */
  unwrap(keyId: string, ciphertext: Uint8Array, options: { readonly signal: AbortSignal }): Promise<Uint8Array | null>;

  /** Timeout of a call in milliseconds, 1 to 60000. Default 2000. */
  readonly timeoutMillis?: number;

  /** Maximum number of concurrent calls, 1 to 10000. Another one is refused (503) without a call. Default 64. */
  readonly maxConcurrentCalls?: number;
}

/** The defaults of {@link KeyProvider}. */
export const KEY_PROVIDER_DEFAULTS = { timeoutMillis: 2000, maxConcurrentCalls: 64 } as const;

/** If several sets of keys share a provider, all calls count, so that a rotation does not double the bound. */
const callsOf = new WeakMap<KeyProvider, { underWay: number }>();

/**
 * Bounds the calls of a provider in time and in number, so that a hanging provider costs each request a bounded time
 * and the process a bounded number of promises. Input that can't be a wrapped key is not passed to the provider.
 *
 * The returned function resolves to the base key, or to null for a refused ciphertext. It rejects with an
 * `EnvelopeKeyUnavailableError` when the provider gave no usable answer.
 */
export function boundedUnwrap(provider: KeyProvider): (keyId: string, ek: Uint8Array) => Promise<Uint8Array | null> {
  const timeoutMillis = provider.timeoutMillis ?? KEY_PROVIDER_DEFAULTS.timeoutMillis;
  const maxConcurrentCalls = provider.maxConcurrentCalls ?? KEY_PROVIDER_DEFAULTS.maxConcurrentCalls;
  const calls = callsOf.get(provider) ?? { underWay: 0 };
  callsOf.set(provider, calls);

  async function callProvider(keyId: string, ek: Uint8Array, signal: AbortSignal): Promise<unknown> {
    calls.underWay++;
    try {
      return await provider.unwrap(keyId, ek, { signal });
    } finally {
      calls.underWay--;
    }
  }

  return async function unwrap(keyId, ek) {
    // A provider that does not validate points would leak its key by its answers to invalid points.
    if (ek.length !== WRAPPED_KEY_BYTES || !isSm2PublicKey(ek.subarray(0, SM2_POINT_BYTES))) return null;
    if (calls.underWay >= maxConcurrentCalls) {
      throw new EnvelopeKeyUnavailableError({
        cause: new EnvelopeQueueFullError('too many calls of the key provider are under way'),
      });
    }
    const timeout = new AbortController();
    const cancelDeadline = startDeadline(timeoutMillis, () => {
      timeout.abort(new Error('the key provider gave no answer in time'));
    });
    try {
      const answer = await Promise.race([callProvider(keyId, ek, timeout.signal), aborted(timeout.signal)]);
      if (answer === null) return null;
      if (!(answer instanceof Uint8Array)) throw new TypeError('the key provider answered neither bytes nor null');
      return answer.length === BASE_KEY_BYTES ? answer : null;
    } catch (cause) {
      throw new EnvelopeKeyUnavailableError({ cause });
    } finally {
      cancelDeadline();
    }
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
