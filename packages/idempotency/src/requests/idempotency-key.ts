import { IdempotencyKeyInvalidError } from '../errors.js';

// RFC 9562, 4: 36 characters, in either case. No braces, no quotes, no `urn:uuid:`.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The key of a request in lower case, so that one UUID is one key; null where the header is absent. Node joins two
 * header lines with a comma, which no UUID has: two lines are refused, equal ones too.
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !UUID.test(header)) throw new IdempotencyKeyInvalidError();
  return header.toLowerCase();
}
