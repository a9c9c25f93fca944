import { hash } from 'node:crypto';

/** How many tokens are remembered at least, and at most twice as many: some 6 MB of claims and digests. */
const TOKENS_KEPT = 8192;

/**
 * Remembers the payloads of tokens whose signature was verified: a client sends the same token with every request, and
 * the signature is by far the dearest part of its check. Only what succeeded is remembered, by the digest of the whole
 * token, so that no bit of it may differ and no token lies in memory. A token that is remembered is not yet a valid one:
 * its times and its session are checked on every request.
 */
export function rememberVerified(verify: (token: string) => unknown): (token: string) => unknown {
  // Two generations: what was used lately moves on to the newer one, and the older one is dropped as a whole.
  let recent = new Map<string, unknown>();
  let earlier = new Map<string, unknown>();

  function keep(digest: string, payload: unknown): void {
    if (recent.size >= TOKENS_KEPT) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(digest, payload);
  }

  return function verifyOnce(token) {
    const digest = hash('sha256', token, 'base64');
    if (recent.has(digest)) return recent.get(digest);
    const payload = earlier.has(digest) ? earlier.get(digest) : Object.freeze(verify(token));
    keep(digest, payload);
    return payload;
  };
}
