import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import { IdempotencyBodyUnsupportedError } from '../errors.js';

/** Whose key it is, and where. The route is the one that the router chose: one spelling, however the URL was written. */
export interface KeyPlace {
  /** null: nobody signed in. */
  readonly principal: string | null;
  readonly method: string;
  /** The pattern of the route, such as `/orders/:id`. */
  readonly url: string;
  /** The parameters of the path, decoded. */
  readonly params: unknown;
  /** A UUID in lower case. */
  readonly key: string;
}

/** The content of a request, as its handler sees it. */
export interface RequestContent {
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * What a record is stored under: a hash, so that nothing of a client's text gets into a store's key, and nobody who
 * reads the store learns a key. Requirement IDM-2.
 */
export function scopeOf({ principal, method, url, params, key }: KeyPlace): string {
  return hash(['scope', principal, method, url, params ?? {}, key]);
}

/**
 * SHA-256 over the RFC 8785 form of method, path, query and body, after decryption and validation: what the handler sees,
 * with its defaults and coercions, so that two spellings of one request are one. The random key is in it as well: whoever
 * reads the store can't guess a body by its digest. Requirement IDM-4.
 */
export function digestOf({ principal, method, url, params, key }: KeyPlace, { query, body }: RequestContent): string {
  return hash(['digest', principal, method, url, params ?? {}, key, query ?? {}, ...describeBody(body)]);
}

/** The kind keeps apart no body and null, bytes and the text of their hash. */
function describeBody(body: unknown): readonly [kind: string, value: unknown] {
  if (body === undefined) return ['none', null];
  if (body instanceof Uint8Array) return ['bytes', createHash('sha256').update(body).digest('base64url')];
  if (isStream(body)) throw new IdempotencyBodyUnsupportedError({ cause: new Error('The body is a stream') });
  return ['json', body];
}

function isStream(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return 'pipe' in body && typeof body.pipe === 'function';
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(canonical(parts)).digest('base64url');
}

function canonical(parts: readonly unknown[]): string {
  try {
    return canonicalJson(parts);
  } catch (cause) {
    // Lone surrogates and infinities have no canonical form (RFC 8785, 3.2.2), what a parser of yours may yield is perhaps
    // no JSON, and nesting may exhaust the stack.
    throw new IdempotencyBodyUnsupportedError({ cause });
  }
}
