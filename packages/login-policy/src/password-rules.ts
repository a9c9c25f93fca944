/*
 * What a password must have, for the page where it is chosen: browser and server alike, so nothing is imported here.
 * The server receives a hash and can't enforce any of it.
 */

/** The longest that a rule may ask for or allow: longer than anything that is typed. */
const MAX_LENGTH = 256;

/**
 * The definitions of the password rules, as plain data. Keys, types and defaults are those of the interface document;
 * public, since the page reads them before anybody has signed in. Requirement PWD-1.
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
export interface PasswordRules {
  readonly minLength: number;
  readonly maxLength: number;
  readonly requireUppercase: boolean;
  readonly requireLowercase: boolean;
  readonly requireDigit: boolean;
  readonly requireSpecial: boolean;
}

/** A rule that a password breaks. `message` is in English; a page of another language goes by `rule` and `bound`. */
export interface Fault {
  readonly rule: keyof PasswordRules;
  readonly message: string;
  /** Of the two lengths: how many characters are asked for, or allowed. */
  readonly bound?: number;
}

/**
 * By Unicode's general categories, so that each script's own letters and digits count. Special is punctuation (P) or a
 * symbol (S), emoji among them; letters without case, marks, white space and controls are none of the four.
 */
const CHARACTERS = [
  { rule: 'requireUppercase', has: /\p{Lu}/u, message: 'The password needs an upper-case letter' },
  { rule: 'requireLowercase', has: /\p{Ll}/u, message: 'The password needs a lower-case letter' },
  { rule: 'requireDigit', has: /\p{Nd}/u, message: 'The password needs a digit' },
  { rule: 'requireSpecial', has: /[\p{P}\p{S}]/u, message: 'The password needs a special character, such as ! or #' },
] as const;

/**
 * Every rule that the password breaks, in the order of the rules; none if it may be chosen. Characters are Unicode code
 * points: an emoji or a rare ideogram is one, and a letter with a separate accent two. Requirement PWD-2.
 *
 * @throws TypeError naming every rule that is missing or of the wrong type: no password fits rules that nobody knows.
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

/** What is wrong between the values, one sentence for each fault: the cross-rule of the table. Requirement SYS-2. */
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
