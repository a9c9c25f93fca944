import canonicalize from 'canonicalize';

/**
 * The RFC 8785 form of what is JSON, or says by `toJSON` what it is as JSON. Throws for anything else: a `Map`, a
 * `FormData` or a `URLSearchParams` has no members that JSON could see, so that any two of them would be one.
 */
export function canonicalJson(value: unknown): string {
  refuseForeign(value);
  return canonicalize(value) ?? '';
}

function refuseForeign(value: unknown): void {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`A ${typeof value} is no JSON`);
  if (typeof value !== 'object' || value === null) return;
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    refuseForeign(value.toJSON());
  } else if (Array.isArray(value)) {
    value.forEach(refuseForeign);
  } else {
    if (!isPlain(value)) throw new TypeError(`${value.constructor?.name ?? 'Such an object'} is no JSON`);
    Object.values(value).forEach(refuseForeign);
  }
}

/** Made by a literal or a parser, of whatever realm: its prototype, if it has one, is the root of all. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
