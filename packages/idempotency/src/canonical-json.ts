import canonicalize from 'canonicalize';

/** The hash of bytes, as text. */
export type HashBytes = (bytes: Uint8Array) => string;

/**
 * The RFC 8785 form of a JSON value, or of the result of `toJSON`. Throws for anything else: a `Map`, a `FormData` or a
 * `URLSearchParams` has no members in JSON, so any two of them would be equal.
 *
 * @param hashBytes bytes count by it. Without it they are refused
 */
export function canonicalJson(value: unknown, hashBytes?: HashBytes): string {
  const hasBytes = containsBytes(value);
  if (!hasBytes) return canonicalize(value) ?? '';
  if (hashBytes === undefined) throw new TypeError('Bytes are not JSON');
  return canonicalize(withHashes(value, hashBytes)) ?? '';
}

/** Throws for what is neither JSON nor bytes. */
function containsBytes(value: unknown): boolean {
  if (typeof value === 'bigint') {
    throw new TypeError("A bigint is not JSON. If a schema makes it, give the route content: 'as-sent'");
  }
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`A ${typeof value} is not JSON`);
  if (typeof value !== 'object' || value === null) return false;
  // Before `toJSON`, which in Node makes a number of each byte.
  if (ArrayBuffer.isView(value)) return true;
  if (hasToJson(value)) return containsBytes(value.toJSON());
  if (!Array.isArray(value) && !isPlain(value)) {
    throw new TypeError(`${value.constructor?.name ?? 'Such an object'} is not JSON`);
  }
  let isFound = false;
  for (const member of Object.values(value)) isFound = containsBytes(member) || isFound;
  return isFound;
}

function withHashes(value: unknown, hashBytes: HashBytes): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    return { sha256: hashBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
  }
  if (hasToJson(value)) return withHashes(value.toJSON(), hashBytes);
  if (Array.isArray(value)) return value.map((member) => withHashes(member, hashBytes));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHashes(member, hashBytes)]));
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/**
 * Whether a literal or a parser made the object, in any realm: it has no prototype, or one that has no prototype
 * itself.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
