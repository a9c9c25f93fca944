import { hash } from 'node:crypto';
import { LruCache } from '@sallyport/plugin-kit/lru-cache';

/** The minimum number of tokens in the cache. The maximum is twice as many, about 8 MB of claims and digests. */
const MIN_CACHED_TOKENS = 8192;

/** The number of slots for tokens that were seen once: 24 bits each, in 128 KB. */
const TRACES = 32_768;

/**
 * Caches the content of verified tokens, because a client sends the same token with every request, and its signature is
 * by far the most expensive part of a check. Only successes are cached, under the digest of the whole token, so that
 * every bit counts and no token is kept in memory. A cached token is not yet accepted: its times and its session are
 * checked on every request.
 *
 * A token is cached from its second use on, so that a token that is used once takes no memory and displaces no other.
 */
export function memoizeVerifier<Verified extends object>(
  verify: (token: string) => Verified,
): (token: string) => Readonly<Verified> {
  const cache = new LruCache<Readonly<Verified>>(MIN_CACHED_TOKENS);
  const wasSeen = createTraces();
  return function verifyOnce(token) {
    const digest = hash('sha256', token, 'binary');
    const cached = cache.get(digest);
    if (cached !== undefined) return cached;
    const verified = Object.freeze(verify(token));
    if (wasSeen(digest)) cache.set(digest, verified);
    return verified;
  };
}

/** Whether a digest was seen before. Approximate: another one may have overwritten its slot, or share its bits. */
function createTraces(): (digest: string) => boolean {
  const traces = new Uint32Array(TRACES);
  const bits = (digest: string, at: number) =>
    digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8) | (digest.charCodeAt(at + 2) << 16);
  return function wasSeen(digest) {
    const slot = bits(digest, 0) % TRACES;
    // Never 0, the value of an empty slot.
    const trace = bits(digest, 3) + 1;
    if (traces[slot] === trace) return true;
    traces[slot] = trace;
    return false;
  };
}
