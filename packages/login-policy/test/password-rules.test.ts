import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkPassword,
  type PasswordRules,
  passwordRuleFaults,
  passwordRuleParameters,
  passwordRulesFrom,
} from '../src/password-rules.js';

const defaults: PasswordRules = {
  minLength: 6,
  maxLength: 32,
  requireUppercase: false,
  requireLowercase: false,
  requireDigit: false,
  requireSpecial: false,
};
const broken = (password: string, rules: Partial<PasswordRules> = {}) =>
  checkPassword(password, { ...defaults, ...rules }).map(({ rule }) => rule);

describe('passwordRuleParameters', () => {
  it('PWD-1 are the six parameters of the interface document, and public', () => {
    const rows = Object.values(passwordRuleParameters).map((row) => [row.key, row.type, row.default, row.isPublic]);
    expect(rows).toEqual([
      ['admin.auth.password.min-length', 'INTEGER', 6, true],
      ['admin.auth.password.max-length', 'INTEGER', 32, true],
      ['admin.auth.password.require-uppercase', 'BOOLEAN', false, true],
      ['admin.auth.password.require-lowercase', 'BOOLEAN', false, true],
      ['admin.auth.password.require-digit', 'BOOLEAN', false, true],
      ['admin.auth.password.require-special', 'BOOLEAN', false, true],
    ]);
    expect(
      Object.fromEntries(Object.entries(passwordRuleParameters).map(([name, row]) => [name, row.default])),
    ).toEqual(defaults);
  });

  it('PWD-1 the minimum length must not exceed the maximum', () => {
    expect(passwordRuleFaults(defaults)).toEqual([]);
    expect(passwordRuleFaults({ ...defaults, minLength: 33 })).toHaveLength(1);
  });
});

describe('checkPassword', () => {
  it('PWD-2 counts Unicode code points', () => {
    expect(broken('12345')).toEqual(['minLength']);
    expect(broken('123456')).toEqual([]);
    expect(broken('😀😀😀😀😀')).toEqual(['minLength']);
    expect(broken('😀😀😀😀😀😀')).toEqual([]);
    expect(broken('x'.repeat(32))).toEqual([]);
    expect(broken('😀'.repeat(32))).toEqual([]);
    expect(broken('x'.repeat(33))).toEqual(['maxLength']);
  });

  it.each([
    ['requireUppercase', ['abcdef1!', 'ß123456', '中文中文中文'], ['abcdeF', 'äöüäöÜ', 'ждждЖд']],
    ['requireLowercase', ['ABCDEF1!', '中文中文中文'], ['ABCDEf', 'ÄÖÜÄÖß']],
    ['requireDigit', ['abcdef!', 'ⅣⅣⅣⅣⅣⅣ', '½½½½½½'], ['abcde1', 'abcde٣']],
    [
      'requireSpecial',
      ['abcDE1', 'abc def', 'abcde\u0301f', 'abc\u200bdef'],
      ['abcde!', 'abcde_', 'abcde€', 'abcde😀', 'abcde。'],
    ],
  ] as const)('PWD-2 %s: %o break it, %o do not', (rule, breaking, fitting) => {
    for (const password of breaking) expect(broken(password, { [rule]: true })).toEqual([rule]);
    for (const password of fitting) expect(broken(password, { [rule]: true })).toEqual([]);
    for (const password of [...breaking, ...fitting]) expect(broken(password)).toEqual([]);
  });

  it('PWD-2 names every broken rule at once, each with a sentence and its bound', () => {
    const all = { requireUppercase: true, requireLowercase: true, requireDigit: true, requireSpecial: true };
    expect(broken('', all)).toEqual([
      'minLength',
      'requireUppercase',
      'requireLowercase',
      'requireDigit',
      'requireSpecial',
    ]);
    expect(checkPassword('abc', defaults)).toEqual([
      { rule: 'minLength', bound: 6, message: 'The password needs at least 6 characters' },
    ]);
    expect(checkPassword('x'.repeat(40), defaults)).toEqual([
      { rule: 'maxLength', bound: 32, message: 'The password may have at most 32 characters' },
    ]);
  });

  it('PWD-2 no message contains the password', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 3 }).filter((text) => /[^a-zA-Z0-9 ,!#-]/.test(text)),
        (password) => {
          const strict = {
            ...defaults,
            minLength: 200,
            requireUppercase: true,
            requireDigit: true,
            requireSpecial: true,
          };
          for (const { message } of checkPassword(password, strict)) expect(message).not.toContain(password);
        },
      ),
    );
  });

  it.each([undefined, null, Number.NaN, '6', 6.5])('PWD-2 refuses invalid rules: a minLength of %o', (minLength) => {
    const rules = { ...defaults, minLength } as PasswordRules;
    expect(() => checkPassword('a long enough password', rules)).toThrow('missing or wrong: minLength');
  });

  it('PWD-2 runs in a browser: it imports nothing and uses no API of Node', () => {
    const source = readFileSync(new URL('../src/password-rules.ts', import.meta.url), 'utf8');
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(code).not.toMatch(/\b(?:import|require\s*\(|from\s+['"]|process|Buffer|global|__dirname)\b/);
    expect(code).toContain('export function checkPassword');
  });
});

describe('passwordRulesFrom', () => {
  const parameters = Object.fromEntries(Object.values(passwordRuleParameters).map(({ key, default: it }) => [key, it]));

  it('PWD-1 maps the public parameters to the argument of checkPassword', () => {
    const rules = passwordRulesFrom({ ...parameters, 'admin.auth.captcha.enabled': true });
    expect(rules).toEqual(defaults);
    expect(checkPassword('abc', rules)).toMatchObject([{ rule: 'minLength', bound: 6 }]);
  });

  it('PWD-1 names every rule that is missing or wrong', () => {
    const { 'admin.auth.password.min-length': _none, ...rest } = parameters;
    const wrong = { ...rest, 'admin.auth.password.require-digit': 'true' };
    expect(() => passwordRulesFrom(wrong)).toThrow(
      'missing or wrong: admin.auth.password.min-length, admin.auth.password.require-digit',
    );
  });
});
