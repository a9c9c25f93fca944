import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { files, readSource } from './import-graph.js';

const root = new URL('../../', import.meta.url);

/** The examples of full size. */
const LARGE_EXAMPLES: readonly string[] = ['admin-console', 'api-client', 'app-client', 'reference-server'];

/** A client in another language: no application, and nothing that Node runs. Its README has one screen, too. */
const FOREIGN_EXAMPLES: readonly string[] = ['envelope-client-java'];

/** Lines of source that a small example may have: what a reader takes in at one sitting. */
const MAX_SOURCE_LINES = 120;

/** Lines of a README that are shown without scrolling. */
const MAX_README_LINES = 40;

/** Files that are no source of an example: its description, its settings, and what a command has generated. */
const NOT_SOURCE = /\/(?:test|drizzle)\/|\.generated\.|\/(?:README\.md|package\.json|tsconfig[^/]*\.json)$/;

const examples = readdirSync(new URL('examples', root)).filter(
  (name) => !LARGE_EXAMPLES.includes(name) && !FOREIGN_EXAMPLES.includes(name),
);

const filesOf = (name: string) => files.filter((path) => path.startsWith(`examples/${name}/`));

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n').length;

describe.each(examples)('the example %s', (name) => {
  const source = filesOf(name).filter((path) => !NOT_SOURCE.test(path));

  test(`EXM-1 has at most ${MAX_SOURCE_LINES} lines of its own, pages and styles included`, () => {
    const lines = source.map((path) => linesOf(readSource(path)));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_SOURCE_LINES);
  });

  test('EXM-1 starts by one command, which its README names', () => {
    const manifest = JSON.parse(readSource(`examples/${name}/package.json`));
    expect(manifest).toMatchObject({
      private: true,
      type: 'module',
      scripts: { start: expect.stringMatching(/^node /) },
    });
    const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(readSource(`examples/${name}/README.md`)).toContain(`npx --yes ${packageManager} start`);
  });

  test('EXM-1 has a test that starts it as its command does', () => {
    const tests = filesOf(name).filter((path) => path.endsWith('.test.ts'));
    expect(tests.filter((path) => readSource(path).includes(`startExample('${name}'`))).not.toEqual([]);
  });

  test('EXM-1 is checked by the compiler', () => {
    const { references } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8'));
    expect(references).toContainEqual({ path: `examples/${name}` });
  });
});

test('EXM-1 the walk finds small examples', () => {
  expect(examples).toEqual(expect.arrayContaining(['parameters-form', 'uploads-s3']));
});

test.each([...examples, ...FOREIGN_EXAMPLES])(
  `EXM-1 the example %s has a README of one screen: at most ${MAX_README_LINES} lines beside its diffs`,
  (name) => {
    const text = readSource(`examples/${name}/README.md`).replaceAll(/^```diff\n.*?^```\n/gms, '');
    expect(linesOf(text)).toBeLessThanOrEqual(MAX_README_LINES);
  },
);
