import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPagesOf } from '../../../scripts/package-pages.mjs';
import { ONE_TIME_CODE_DEFAULTS } from '../src/index.js';

const source = readFileSync(new URL('../src/policy.ts', import.meta.url), 'utf8');

/** The defaults as texts have them. */
const expected = Object.fromEntries(Object.entries(ONE_TIME_CODE_DEFAULTS).map(([name, value]) => [name, `${value}`]));

/** The values that a text gives to names, without the blanks of long numbers. */
function valuesIn(text: string, pattern: RegExp): Record<string, string> {
  const pairs = [...text.matchAll(pattern)].map(({ groups }) => [groups!.name, groups!.value!.replaceAll(' ', '')]);
  return Object.fromEntries(pairs.filter(([name]) => name! in expected));
}

it('OTC-4 the comments of the policy give the defaults that apply', () => {
  const comment = /Default (?<value>[\w ]+)\.(?: \*\/|\n +\*\/)\n +readonly (?<name>\w+):/g;
  expect(valuesIn(source, comment)).toEqual(expected);
});

it('OTC-4 the reference gives the defaults that apply', () => {
  const row = /^\| `(?<name>\w+)` +\| (?<value>[\w ]+?) +\|/gm;
  expect(valuesIn(readPagesOf('one-time-codes'), row)).toEqual(expected);
});
