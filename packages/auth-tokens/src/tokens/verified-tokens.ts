import { hash } from 'node:crypto';
import { createRecentlyUsed } from '../lru-cache.js';

/** How many tokens are remembered at least, and at most twice as many: some 8 MB of claims and digests. */
const TOKENS_KEPT = 8192;

/** Of how many tokens that were seen once a trace is kept: 24 bits each, in 128 KB. */
const TRACES = 32_768;

/**
 * Remembers what verified tokens say: a client sends the same token with every request, and the signature is by far the
 * dearest part of its check. Only what succeeded is remembered, by the digest of the whole token, so that no bit of it
 * may differ and no token lies in memory. A token that is remembered is not yet a valid one: its times and its session
 * are checked on every request.
 *
 * It is remembered from the second time on: who signs in for one request takes no memory, and no one else's place.
 */
export function rememberVerified<Verified extends object>(
  verify: (token: string) => Verified,
): (token: string) => Readonly<Verified> {
  const known = createRecentlyUsed<Readonly<Verified>>(TOKENS_KEPT);
  const wasSeen = createTraces();
  return function verifyOnce(token) {
    const digest = hash('sha256', token, 'binary');
    const remembered = known.get(digest);
    if (remembered !== undefined) return remembered;
    const verified = Object.freeze(verify(token));
    if (wasSeen(digest)) known.set(digest, verified);
    return verified;
  };
}

/** Whether a digest was asked for before; a newer one may have taken its place since, and chance may say yes to a new one. */
function createTraces(): (digest: string) => boolean {
  const traces = new Uint32Array(TRACES);
  const bits = (digest: string, at: number) =>
    digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8) | (digest.charCodeAt(at + 2) << 16);
  return function wasSeen(digest) {
    const place = bits(digest, 0) % TRACES;
    // Never the 0 of an empty place.
    const trace = bits(digest, 3) + 1;
    if (traces[place] === trace) return true;
    traces[place] = trace;
    return false;
  };
}
