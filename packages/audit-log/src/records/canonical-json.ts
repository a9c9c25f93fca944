/** The maximum nesting. PostgreSQL's parser and the recursion of this module fail at some thousands. */
const MAX_DEPTH = 500;

/**
 * Canonical JSON (RFC 8785) that jsonb can hold: U+0000 and lone surrogates, which jsonb refuses, become U+FFFD. A
 * value without JSON, such as a cycle, becomes an object that says so, so that the record is not lost.
 */
export function canonicalJson(value: unknown): string {
  try {
    return canonical(JSON.parse(storable(JSON.stringify(value) ?? 'null')), 0);
  } catch (error) {
    return canonical({ unstorable: error instanceof RangeError ? 'too deep' : 'no JSON' }, 0);
  }
}

/**
 * The canonical JSON of a jsonb value, from PostgreSQL's text of it. Null if the value can't have been written from
 * canonical JSON, because it has a number that JavaScript rounds or formats differently, such as `1.0`.
 */
export function canonicalOfJsonb(text: string): string | null {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[0-9.eE+-]*/g)) {
    if (!token.startsWith('"') && plainDecimal(Number(token)) !== token) return null;
  }
  try {
    return canonical(JSON.parse(text), 0);
  } catch {
    return null;
  }
}

/** Each escape is one match, so that `\\u0000`, an escaped backslash and five characters, stays unchanged. */
function storable(json: string): string {
  return json.replace(/\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g, (sequence, refused) =>
    refused === undefined ? sequence : '\uFFFD',
  );
}

function canonical(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new RangeError('Nested too deep');
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(Reflect.get(value, name), depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** A number as jsonb formats it, without an exponent. */
function plainDecimal(number: number): string {
  const text = String(number);
  const [, sign = '', whole, fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  // JavaScript writes an exponent only if the decimal point is outside the digits.
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : sign + digits + '0'.repeat(point - digits.length);
}
