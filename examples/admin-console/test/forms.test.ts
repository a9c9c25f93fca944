import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { adminForms, SIGN_IN_FORM } from './forms/admin-forms.js';
import { APP_FORMS, SIGNED_OUT_FORMS } from './forms/app-forms.js';
import { FACTOR_FORMS, secondStepForm } from './forms/factor-forms.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

const NOBODY = { username: 'nobody', password: 'none' };

/** Where the guard is: `useWrite` sends by `useSend`. */
const HOOKS = ['service/send.ts', 'service/write.ts'];

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !HOOKS.includes(path))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(`${SRC}${path}`, 'utf8') }));

function filesWith(pattern: RegExp): readonly string[] {
  return sources.flatMap(({ path, text }) => (pattern.test(text) ? [path] : [])).toSorted();
}

it('CON-9 every file that sends does it by the hook with the guard, and the walk with double clicks has it', () => {
  expect(filesWith(/\buseMutation\b/)).toEqual([]);
  const walked = [
    SIGN_IN_FORM,
    ...adminForms('anybody'),
    ...FACTOR_FORMS,
    secondStepForm(NOBODY),
    ...SIGNED_OUT_FORMS,
    ...APP_FORMS,
  ].map(({ file }) => file);
  expect([...new Set(walked)].toSorted()).toEqual(filesWith(/\buse(?:Send|Write)\(/));
});
