import type { NumberDefinition, ParameterDefinition, ParameterValue, StringDefinition } from './definitions.js';

/** The longest STRING of a definition without `maxLength`, in UTF-16 code units. */
export const DEFAULT_MAX_LENGTH = 4000;

/** The largest `maxLength` of a definition. */
export const MAX_STRING_LENGTH = 100_000;

/** Either the value in its type, or a sentence about its fault. The sentence never contains the value. */
export type CheckedValue = { readonly value: ParameterValue } | { readonly fault: string };

/**
 * Each number has one text: an optional minus, and digits without leading zeros. A safe integer has at most 16 digits.
 */
const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;

const TYPE_LIMITS = {
  INTEGER: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  LONG: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
} as const;

/** Last words of keys that are used for secrets. */
const SECRET_KEY =
  /[.-](?:secret|password|passwd|passphrase|credentials?|token|(?:private|secret|api|access|signing)-key)$/;

/**
 * Values that are secret under any key: a private key in PEM, a URL that contains a password. Each repetition has an
 * end, so that no text takes more than linear time.
 */
const SECRET_VALUE =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,256}@/i;

/**
 * Checks a value from JSON or from the table by type, range and the definition's own check. Numbers and switches may be
 * given as text: decimal digits, exactly `true` or `false`. Nothing is trimmed, folded or rounded.
 */
export function checkValue(definition: ParameterDefinition, given: unknown): CheckedValue {
  switch (definition.type) {
    case 'STRING':
      return checkString(definition, given);
    case 'INTEGER':
    case 'LONG':
      return checkNumber(definition, given);
    case 'BOOLEAN':
      if (given === true || given === 'true') return { value: true };
      if (given === false || given === 'false') return { value: false };
      return { fault: 'must be true or false' };
  }
}

/** The text that is stored. {@link checkValue} turns it back into the value. */
export function valueText(value: ParameterValue): string {
  return String(value);
}

/** The range of a number definition: its own bounds, or those of its type. */
export function rangeOf({ type, minimum, maximum }: NumberDefinition): { minimum: number; maximum: number } {
  return { minimum: minimum ?? TYPE_LIMITS[type].minimum, maximum: maximum ?? TYPE_LIMITS[type].maximum };
}

export function typeLimits(type: NumberDefinition['type']): { minimum: number; maximum: number } {
  return TYPE_LIMITS[type];
}

/**
 * Secrets are never parameters, because values are shown to administrators, stored in the clear and handed to
 * the audit log. This check catches mistakes, not intent.
 */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(`.${key}`);
}

function checkNumber(definition: NumberDefinition, given: unknown): CheckedValue {
  const { minimum, maximum } = rangeOf(definition);
  const number = typeof given === 'string' && WHOLE_NUMBER.test(given) ? Number(given) : given;
  const fits = typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum && number <= maximum;
  // Adding 0 converts the negative zero of JSON into zero.
  return fits ? { value: number + 0 } : { fault: `must be a whole number from ${minimum} to ${maximum}` };
}

function checkString(
  { maxLength = DEFAULT_MAX_LENGTH, values, check }: StringDefinition,
  given: unknown,
): CheckedValue {
  if (typeof given !== 'string') return { fault: 'must be a text' };
  if (given.length > maxLength) return { fault: `must have at most ${maxLength} characters` };
  // PostgreSQL stores neither U+0000 nor a lone surrogate. PGlite drops a byte order mark when it reads.
  if (/[\0\p{Surrogate}]|^\uFEFF/u.test(given)) {
    return { fault: 'must not have U+0000, a lone surrogate, or a byte order mark at its start' };
  }
  if (SECRET_VALUE.test(given)) {
    return { fault: 'must not hold a private key, or a URL with a password: secrets are never parameters' };
  }
  if (values !== undefined && !values.includes(given)) return { fault: `must be one of ${values.join(', ')}` };
  const fault = check?.(given) ?? null;
  return fault === null ? { value: given } : { fault };
}
