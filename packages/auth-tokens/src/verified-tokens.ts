import { hash } from 'node:crypto';
import { createRecentlyUsed } from './recently-used.js';

/** How many tokens are remembered at least, and at most twice as many: some 8 MB of claims and digests. */
const TOKENS_KEPT = 8192;

/**
 * Remembers what verified tokens say: a client sends the same token with every request, and the signature is by far the
 * dearest part of its check. Only what succeeded is remembered, by the digest of the whole token, so that no bit of it
 * may differ and no token lies in memory. A token that is remembered is not yet a valid one: its times and its session
 * are checked on every request.
 */
export function rememberVerified<Verified extends object>(
  verify: (token: string) => Verified,
): (token: string) => Readonly<Verified> {
  const known = createRecentlyUsed<Readonly<Verified>>(TOKENS_KEPT);
  return function verifyOnce(token) {
    const digest = hash('sha256', token, 'binary');
    const remembered = known.get(digest);
    if (remembered !== undefined) return remembered;
    const verified = Object.freeze(verify(token));
    known.set(digest, verified);
    return verified;
  };
}
