import canonicalize from 'canonicalize';

/**
 * The RFC 8785 form of a JSON value, or of the result of `toJSON`. Throws for anything else: a `Map`, a `FormData` or a
 * `URLSearchParams` has no members in JSON, so any two of them would be equal.
 */
export function canonicalJson(value: unknown): string {
  refuseForeign(value);
  return canonicalize(value) ?? '';
}

function refuseForeign(value: unknown): void {
  if (typeof value === 'bigint') {
    throw new TypeError("A bigint is not JSON. If a schema makes it, give the route content: 'as-sent'");
  }
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`A ${typeof value} is not JSON`);
  if (typeof value !== 'object' || value === null) return;
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    refuseForeign(value.toJSON());
  } else if (Array.isArray(value)) {
    value.forEach(refuseForeign);
  } else {
    if (!isPlain(value)) throw new TypeError(`${value.constructor?.name ?? 'Such an object'} is not JSON`);
    Object.values(value).forEach(refuseForeign);
  }
}

/**
 * Whether a literal or a parser made the object, in any realm: it has no prototype, or one that has no prototype
 * itself.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
