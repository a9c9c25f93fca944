import type { NumberDefinition, ParameterDefinition, ParameterValue, StringDefinition } from './definitions.js';
import { isSecretValue } from './secret-shapes.js';

/** The longest STRING without a `maxLength` of its own; with one, the greatest that it may say. */
const DEFAULT_MAX_LENGTH = 4000;
export const GREATEST_MAX_LENGTH = 100_000;

/** Either the value in its type, or a sentence that says what is wrong, never with the value in it. */
export type CheckedValue = { readonly value: ParameterValue } | { readonly fault: string };

/** An optional minus and decimal digits without leading zeros: one text per number. More digits than a safe integer has are no number at all. */
const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;

const TYPE_LIMITS = {
  INTEGER: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  LONG: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
} as const;

/**
 * A value from JSON or from the table, checked by type, range and the definition's own check. A number or a switch may
 * come as text: decimal digits, exactly `true` or `false`. Nothing is trimmed, folded or rounded (SV-12).
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

/** The text that is stored; `checkValue` yields the value again. */
export function valueText(value: ParameterValue): string {
  return String(value);
}

/** The range of a number definition: its own, within that of its type. */
export function rangeOf({ type, minimum, maximum }: NumberDefinition): { minimum: number; maximum: number } {
  return { minimum: minimum ?? TYPE_LIMITS[type].minimum, maximum: maximum ?? TYPE_LIMITS[type].maximum };
}

export function typeLimits(type: NumberDefinition['type']): { minimum: number; maximum: number } {
  return TYPE_LIMITS[type];
}

function checkNumber(definition: NumberDefinition, given: unknown): CheckedValue {
  const { minimum, maximum } = rangeOf(definition);
  const number = typeof given === 'string' && WHOLE_NUMBER.test(given) ? Number(given) : given;
  const fits = typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum && number <= maximum;
  // Adding 0 makes a zero of the negative zero, which JSON has.
  return fits ? { value: number + 0 } : { fault: `must be a whole number from ${minimum} to ${maximum}` };
}

function checkString({ maxLength = DEFAULT_MAX_LENGTH, check }: StringDefinition, given: unknown): CheckedValue {
  if (typeof given !== 'string') return { fault: 'must be a text' };
  if (given.length > maxLength) return { fault: `must have at most ${maxLength} characters` };
  // PostgreSQL stores neither U+0000 nor half a character, and PGlite drops a byte order mark when it reads.
  if (/[\0\p{Surrogate}]|^\uFEFF/u.test(given)) {
    return { fault: 'must not have U+0000, a lone surrogate, or a byte order mark at its start' };
  }
  if (isSecretValue(given))
    return { fault: 'must not hold a private key, or a URL with a password: secrets are never parameters' };
  const fault = check?.(given) ?? null;
  return fault === null ? { value: given } : { fault };
}
