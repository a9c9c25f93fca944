import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { canonicalJson, type HashBytes } from '../canonical-json.js';
import { IdempotencyBodyUnsupportedError, IdempotencyKeyInvalidError, IdempotencySetupError } from '../errors.js';

// RFC 9562, 4: 36 characters, in either case, bare or as a string of RFC 9651, 3.3.3, as the IETF draft writes the
// header (ADP-11). No braces, no `urn:uuid:`, no parameters.
const KEY = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\1$/i;

/**
 * The owner of the key, and the route. The route is the router's pattern, which has one spelling for every form of the
 * URL.
 */
export interface KeyPlace {
  /** null: the caller is not signed in. */
  readonly principal: string | null;
  readonly method: string;
  /** The pattern of the route, such as `/orders/:id`. */
  readonly url: string;
  /** The parameters of the path, decoded. */
  readonly params: unknown;
  /** A UUID in lower case. */
  readonly key: string;
}

/**
 * The key of a request in lower case and without quotation marks, so that one UUID is one key; null if the header is
 * absent. Node joins two header lines with a comma, which no UUID contains, so two lines are refused, equal ones too.
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const [, , uuid] = (typeof header === 'string' && KEY.exec(header)) || [];
  if (uuid === undefined) throw new IdempotencyKeyInvalidError();
  return uuid.toLowerCase();
}

/** The content of a request, as its handler sees it. */
export interface RequestContent {
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * The name under which a record is stored. It is a hash, so that a store's key contains no text of a client, and the
 * store reveals no idempotency key.
 */
export function scopeOf({ principal, method, url, params, key }: KeyPlace): string {
  return hash(['scope', principal, method, url, params ?? {}, key]);
}

/**
 * SHA-256 over the RFC 8785 form of method, path, query and body, after decryption and validation. These are the values
 * that the handler sees, with defaults and coercions, so that two spellings of a request have the same digest. It
 * includes the random key, so that readers of the store can't guess a body by its digest.
 */
export function digestOf({ principal, method, url, params, key }: KeyPlace, { query, body }: RequestContent): string {
  return hash(['digest', principal, method, url, params ?? {}, key, query ?? {}, ...describeBody(body)]);
}

/** The kind distinguishes an absent body from null, and bytes from the text of their hash. */
export function describeBody(body: unknown): readonly [kind: string, value: unknown] {
  if (body === undefined) return ['none', null];
  if (body instanceof Uint8Array) return ['bytes', hashBytes(body)];
  if (isStream(body)) throw new IdempotencyBodyUnsupportedError({ cause: new Error('The body is a stream') });
  return ['json', body];
}

export function isStream(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return 'pipe' in body && typeof body.pipe === 'function';
}

const hashBytes: HashBytes = (bytes) => createHash('sha256').update(bytes).digest('base64url');

export function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(canonical(parts)).digest('base64url');
}

function canonical(parts: readonly unknown[]): string {
  try {
    return canonicalJson(parts, hashBytes);
  } catch (cause) {
    // Lone surrogates and infinities have no canonical form (RFC 8785, 3.2.2), a parser may yield something that is not
    // JSON, and deep nesting exhausts the stack.
    throw new IdempotencyBodyUnsupportedError({ cause });
  }
}

/** @fastify/multipart leaves the body to the handler: requests with other files would have the same content. */
export function refuseUnreadBody({ body, headers, method, routeOptions }: FastifyRequest): void {
  if (body !== undefined || !String(headers['content-type']).startsWith('multipart/')) return;
  throw new IdempotencySetupError('idempotency', [
    `${method} ${routeOptions.url}: the form is not read before the handler, so its content is not known: give the ` +
      "route content: 'in-handler', and call request.idempotency.begin(…) when the files are received",
  ]);
}
