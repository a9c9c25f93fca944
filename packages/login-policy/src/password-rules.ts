/*
 * The rules for a new password, for the page where it is chosen. This file imports nothing, so browsers can load it.
 * The server receives a hash and can't enforce the rules.
 */

/** The upper bound of both length rules, in code points. No typed password is longer. */
const MAX_LENGTH = 256;

/**
 * The definitions of the password rules, as plain data. Keys, types and defaults are those of the interface document.
 * They are public: pages read them before sign-in. Requirement PWD-1.
 */
export const passwordRuleParameters = {
  minLength: {
    key: 'admin.auth.password.min-length',
    type: 'INTEGER',
    default: 6,
    minimum: 1,
    maximum: MAX_LENGTH,
    isPublic: true,
    description: 'Fewest characters of a password (Unicode code points)',
  },
  maxLength: {
    key: 'admin.auth.password.max-length',
    type: 'INTEGER',
    default: 32,
    minimum: 1,
    maximum: MAX_LENGTH,
    isPublic: true,
    description: 'Most characters of a password (Unicode code points)',
  },
  requireUppercase: {
    key: 'admin.auth.password.require-uppercase',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password needs an upper-case letter',
  },
  requireLowercase: {
    key: 'admin.auth.password.require-lowercase',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password needs a lower-case letter',
  },
  requireDigit: {
    key: 'admin.auth.password.require-digit',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password needs a decimal digit',
  },
  requireSpecial: {
    key: 'admin.auth.password.require-special',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password needs a special character: punctuation or a symbol',
  },
} as const;

/** The values of {@link passwordRuleParameters}. */
// A type, not an interface, so that `passwordRuleFaults` fits the `rules` of a parameter table (ADP-7).
export type PasswordRules = {
  readonly minLength: number;
  readonly maxLength: number;
  readonly requireUppercase: boolean;
  readonly requireLowercase: boolean;
  readonly requireDigit: boolean;
  readonly requireSpecial: boolean;
};

/** A broken rule. `message` is in English; for other languages use `rule` and `bound`. */
export interface Fault {
  readonly rule: keyof PasswordRules;
  readonly message: string;
  /** Of the two length rules: the length that they require or allow. */
  readonly bound?: number;
}

/**
 * Unicode's general categories, so that letters and digits of every script count. Special characters are punctuation
 * (P) and symbols (S), including emoji. Letters without case, marks, white space and controls belong to none of them.
 */
const CHARACTERS = [
  { rule: 'requireUppercase', has: /\p{Lu}/u, message: 'The password needs an upper-case letter' },
  { rule: 'requireLowercase', has: /\p{Ll}/u, message: 'The password needs a lower-case letter' },
  { rule: 'requireDigit', has: /\p{Nd}/u, message: 'The password needs a digit' },
  { rule: 'requireSpecial', has: /[\p{P}\p{S}]/u, message: 'The password needs a special character, such as ! or #' },
] as const;

/**
 * The rules that the password breaks, in the order of the rules; an empty list if it is allowed. Characters are Unicode
 * code points: an emoji or a rare ideogram is one, a letter with a combining accent is two. Requirement PWD-2.
 *
 * @throws TypeError naming every rule that is missing or has the wrong type
 */
export function checkPassword(password: string, rules: PasswordRules): Fault[] {
  const wrong = wrongRules(rules);
  if (wrong.length > 0) throw new TypeError(`checkPassword: these rules are missing or wrong: ${wrong.join(', ')}`);
  const { minLength, maxLength } = rules;
  const length = [...password].length;
  const faults: Fault[] = [];
  if (length < minLength) {
    faults.push({
      rule: 'minLength',
      bound: minLength,
      message: `The password needs at least ${minLength} characters`,
    });
  }
  if (length > maxLength) {
    faults.push({
      rule: 'maxLength',
      bound: maxLength,
      message: `The password may have at most ${maxLength} characters`,
    });
  }
  for (const { rule, has, message } of CHARACTERS) {
    if (rules[rule] && !has.test(password)) faults.push({ rule, message });
  }
  return faults;
}

/** Faults between the values, one sentence each. Requirement SYS-2. */
export function passwordRuleFaults({ minLength, maxLength }: PasswordRules): string[] {
  return minLength <= maxLength ? [] : ['min-length must not exceed max-length: no password could be chosen'];
}

function wrongRules(rules: PasswordRules): string[] {
  return Object.entries(passwordRuleParameters)
    .filter(([name, { type }]) => {
      const value: unknown = Reflect.get(rules, name);
      return type === 'INTEGER' ? !Number.isSafeInteger(value) : typeof value !== 'boolean';
    })
    .map(([name]) => name);
}
