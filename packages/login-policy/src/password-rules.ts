/*
 * The rules for a new password, for the page where it is chosen. This file imports nothing, so browsers can load it.
 * The server receives a hash and can't enforce the rules.
 */

/** The upper bound of both length rules, in code points. No typed password is longer. */
const MAX_LENGTH = 256;

const group = { name: 'passwords', texts: { en: 'Passwords', 'zh-CN': '密码' } } as const;

/**
 * The definitions of the password rules, as plain data. Keys, types and defaults are those of the interface document.
 * They are public: pages read them before sign-in.
 */
export const passwordRuleParameters = {
  minLength: {
    key: 'admin.auth.password.min-length',
    type: 'INTEGER',
    default: 6,
    minimum: 1,
    maximum: MAX_LENGTH,
    unit: 'characters',
    isPublic: true,
    description: 'Minimum length of a password',
    translations: { 'zh-CN': '密码的最小长度' },
    group,
  },
  maxLength: {
    key: 'admin.auth.password.max-length',
    type: 'INTEGER',
    default: 32,
    minimum: 1,
    maximum: MAX_LENGTH,
    unit: 'characters',
    isPublic: true,
    description: 'Maximum length of a password',
    translations: { 'zh-CN': '密码的最大长度' },
    group,
  },
  requireUppercase: {
    key: 'admin.auth.password.require-uppercase',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password must contain an upper-case letter',
    translations: { 'zh-CN': '密码必须包含大写字母' },
    group,
  },
  requireLowercase: {
    key: 'admin.auth.password.require-lowercase',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password must contain a lower-case letter',
    translations: { 'zh-CN': '密码必须包含小写字母' },
    group,
  },
  requireDigit: {
    key: 'admin.auth.password.require-digit',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password must contain a digit',
    translations: { 'zh-CN': '密码必须包含数字' },
    group,
  },
  requireSpecial: {
    key: 'admin.auth.password.require-special',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'A password must contain a special character: punctuation or a symbol',
    translations: { 'zh-CN': '密码必须包含特殊字符（标点或符号）' },
    group,
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
  /** The length that a length rule requires or allows. Absent for the other rules. */
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
 * code points: an emoji or a rare ideogram is one, a letter with a combining accent is two.
 *
 * @example
 * ```ts
 * const rules = {
 *   minLength: 6,
 *   maxLength: 32,
 *   requireUppercase: false,
 *   requireLowercase: false,
 *   requireDigit: true,
 *   requireSpecial: false,
 * };
 * assert.deepEqual(checkPassword('sesame', rules), [{ rule: 'requireDigit', message: 'The password needs a digit' }]);
 * ```
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

/**
 * The rules from parameters by their keys, such as the `data` of `GET /public/system-parameters`: the argument of
 * {@link checkPassword}. Other parameters are left out.
 *
 * @example
 * ```ts
 * const faults = checkPassword('sesame', passwordRulesFrom(data));
 * assert.deepEqual(
 *   faults.map(({ rule }) => rule),
 *   ['requireDigit'],
 * );
 * ```
 *
 * @throws TypeError naming every rule that is missing or has the wrong type
 */
export function passwordRulesFrom(parameters: Readonly<Record<string, unknown>>): PasswordRules {
  const named = Object.entries(passwordRuleParameters).map(([name, { key }]) => [name, parameters[key]]);
  const rules = Object.fromEntries(named) as PasswordRules;
  const wrong = wrongRules(rules).map((name) => passwordRuleParameters[name].key);
  if (wrong.length > 0) throw new TypeError(`passwordRulesFrom: these keys are missing or wrong: ${wrong.join(', ')}`);
  return rules;
}

/** Faults between the values, one sentence each. */
export function passwordRuleFaults({ minLength, maxLength }: PasswordRules): string[] {
  return minLength <= maxLength ? [] : ['min-length must not exceed max-length: no password could be chosen'];
}

function wrongRules(rules: PasswordRules): (keyof PasswordRules)[] {
  return Object.entries(passwordRuleParameters)
    .filter(([name, { type }]) => {
      const value: unknown = Reflect.get(rules, name);
      return type === 'INTEGER' ? !Number.isSafeInteger(value) : typeof value !== 'boolean';
    })
    .map(([name]) => name as keyof PasswordRules);
}
