import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../build.mjs';
import { readPagesOf } from '../package-pages.mjs';
import { isRunnable, parseReadme } from '../readme-blocks.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** An example is short enough to be read above the code that somebody writes. */
const MIN_LINES = 3;
const MAX_LINES = 12;

/** The lines of the programs of a README and of its reference that `check:readmes` runs. */
type Programs = readonly (readonly string[])[];

const trimmedLines = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());

function programsOf(readme: string): Programs {
  return parseReadme(readme)
    .blocks.filter((block) => isRunnable(block) && block.language !== 'sh')
    .map(({ text }) => trimmedLines(text));
}

/** The comments of what a declaration file exports, by name; empty where it has none. */
function commentsOf(path: string, readFile = read): Map<string, string> {
  const text = readFile(path);
  const found = new Map<string, string>();
  for (const [, names = '', from = ''] of text.matchAll(/^export \{([^}]*)\} from '(\.[^']+)';/gm)) {
    const inner = commentsOf(join(dirname(path), from.replace(/\.js$/, '.d.ts')), readFile);
    for (const [name = '', exported = name] of names.split(',').map((each) => each.trim().split(' as ')))
      if (inner.has(name) && exported !== 'default') found.set(exported, inner.get(name)!);
  }
  const declared = /(\/\*\*(?:(?!\*\/).)*\*\/\n)?^export declare (?:abstract )?(?:const|function|class) (\w+)/gms;
  // Of a function with several signatures, the first has the comment.
  for (const [, comment = '', name = ''] of text.matchAll(declared)) if (!found.has(name)) found.set(name, comment);
  return found;
}

/** The programs of the `@example` tags of a comment; null for one without a fence that says `ts`. */
function examplesOf(comment: string): (readonly string[] | null)[] {
  const text = comment.replaceAll(/^[ \t]*\* ?/gm, '');
  const [, ...tags] = text.split(/^@example\b/m);
  return tags.map((tag) => {
    const [, program] = /^\s*```ts\n(.*?)\n```$/ms.exec(tag) ?? [];
    return program === undefined ? null : trimmedLines(program);
  });
}

const standsIn = (lines: readonly string[], programs: Programs): boolean =>
  programs.some((program) => program.some((_, at) => lines.every((line, index) => program[at + index] === line)));

/** What is wrong with the examples of an exported name. */
function exampleFaults(name: string, comment: string, programs: Programs): string[] {
  const isCode = (line: string) => !/^(?:import\b|\/\/)/.test(line);
  return examplesOf(comment).flatMap((lines) => {
    if (lines === null) return [`${name}: an example is no block of ts`];
    const isUsed = lines.some((line) => isCode(line) && new RegExp(`\\b${name}\\b`).test(line.split(' // ')[0]!));
    return [
      ...(lines.length < MIN_LINES || lines.length > MAX_LINES
        ? [`${name}: an example has ${lines.length} lines`]
        : []),
      ...(isUsed ? [] : [`${name}: an example does not use it`]),
      ...(standsIn(lines, programs) ? [] : [`${name}: an example stands in no block of the pages that runs`]),
    ];
  });
}

const idsIn = (text: string, ids: ReadonlySet<string>): string[] =>
  [...text.matchAll(/(?<![\w-])[A-Z]{2,5}-\d{1,3}(?!\w)/g)].map(([id]) => id).filter((id) => ids.has(id));

/** The declaration files of a package; those of sources that are gone are no longer built, and not published. */
function declarationFiles(name: string): string[] {
  return readdirSync(join(root, `packages/${name}/dist`), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .filter((path) => existsSync(join(root, `packages/${name}/src`, path.replace(/\.d\.ts$/, '.ts'))))
    .map((path) => `packages/${name}/dist/${path}`);
}

/** Every public factory and plugin, by package, entry and name: ADP-1 proves that the table has them all. */
function publicFactories(): string[] {
  const rows = read('scripts/test/public-factories.test.ts').matchAll(/^ {2}'([a-z-]+(?:\/[a-z-]+)* \w+)': \{/gm);
  return [...rows].map(([, name]) => name!);
}

const packages = readdirSync(join(root, 'packages'));

describe('the hover texts', () => {
  // By package, entry and name.
  const comments = new Map<string, string>();
  const programs = new Map(packages.map((name) => [name, programsOf(readPagesOf(name))]));

  beforeAll(() => {
    build();
    for (const name of packages) {
      const { exports } = JSON.parse(read(`packages/${name}/package.json`));
      for (const [entry, target] of Object.entries(exports)) {
        const { types } = Object(target) as { types?: string };
        if (types === undefined) continue;
        for (const [exported, comment] of commentsOf(join('packages', name, types)))
          comments.set(`${name}${entry.slice(1)} ${exported}`, comment);
      }
    }
  });

  test('HSE-6 every public factory and plugin shows an example', () => {
    const factories = publicFactories();
    expect(factories.length).toBeGreaterThan(50);
    expect(factories).toContain('envelope-crypto/client/axios createEnvelopeAdapter');
    const builders = [...comments.keys()].filter((name) => / (?:define|generate)[A-Z]/.test(name));
    expect(builders.length).toBeGreaterThan(10);
    const shown = [...factories, ...builders];
    expect(shown.filter((name) => examplesOf(comments.get(name) ?? '').length === 0)).toEqual([]);
  });

  test('HSE-6 the lines of every example stand in a block of the README or the reference that runs', () => {
    const faults = [...comments].flatMap(([name, comment]) => {
      const [entry = '', exported = ''] = name.split(' ');
      return exampleFaults(exported, comment, programs.get(entry.split('/')[0]!)!).map((fault) => `${entry} ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  test('HSE-6 no declaration file names a requirement', () => {
    const ids = new Set(
      [...read('docs/requirements.md').matchAll(/^- \*\*([A-Z]{2,5}-\d{1,3})\*\* /gm)].map(([, id]) => id!),
    );
    expect(ids.size).toBeGreaterThan(200);
    const files = packages.flatMap(declarationFiles);
    expect(files.length).toBeGreaterThan(400);
    expect(files.flatMap((path) => idsIn(read(path), ids).map((id) => `${path}: ${id}`))).toEqual([]);
  });
});

describe('the check of hover texts', () => {
  const comment = [
    '/**',
    ' * Makes a.',
    ' *',
    ' * @example',
    ' * ```ts',
    ' * const a = makeA({',
    ' *   b,',
    ' * });',
    ' * ```',
  ];
  const withEnd = (...lines: string[]) => [...lines, ' */', ''].join('\n');
  const readme = (...lines: string[]) =>
    programsOf(['## A', '```ts', ...lines, '```', '```sh', 'makeA', '```'].join('\n'));
  const faults = (text: string, ...lines: string[]) => exampleFaults('makeA', text, readme(...lines));

  test('HSE-6 an example may be indented in the README, and have more lines around it', () => {
    expect(faults(withEnd(...comment), 'before();', '  const a = makeA({', '    b,', '  });', 'after();')).toEqual([]);
  });

  test('HSE-6 lines that are changed, apart, or in a block that does not run are found', () => {
    const missing = ['makeA: an example stands in no block of the pages that runs'];
    expect(faults(withEnd(...comment), 'const a = makeA({', 'c,', '});')).toEqual(missing);
    expect(faults(withEnd(...comment), 'const a = makeA({', '', 'b,', '});')).toEqual(missing);
    const json = parseReadme('```json\nconst a = makeA({\nb,\n});\n```').blocks;
    expect(json.filter(isRunnable)).toEqual([]);
  });

  test('HSE-6 an example without a fence, of another name, or too short or too long is found', () => {
    expect(faults('/**\n * @example\n * makeA();\n */\n', 'makeA();')).toEqual(['makeA: an example is no block of ts']);
    const short = '/**\n * @example\n * ```ts\n * b(); // makeA\n * ```\n *\n * @throws x\n */\n';
    expect(faults(short, 'b(); // makeA')).toEqual([
      'makeA: an example has 1 lines',
      'makeA: an example does not use it',
    ]);
    const long = Array.from({ length: MAX_LINES + 1 }, () => 'makeA();');
    const text = withEnd('/**', ' * @example', ' * ```ts', ...long.map((line) => ` * ${line}`), ' * ```');
    expect(faults(text, ...long)).toEqual([`makeA: an example has ${MAX_LINES + 1} lines`]);
  });

  test('HSE-6 an export is followed through files, under its own name and another one', () => {
    const files: Record<string, string> = {
      'dist/index.d.ts': "export { type A, makeA, makeA as createA, makeA as default } from './a/index.js';\n",
      'dist/a/index.d.ts': `/** Of A. */\nexport interface A {}\n${withEnd(...comment)}export declare function makeA(): A;\n`,
    };
    const found = commentsOf('dist/index.d.ts', (path) => files[path]!);
    expect([...found.keys()]).toEqual(['makeA', 'createA']);
    expect(examplesOf(found.get('createA')!)).toEqual([['const a = makeA({', 'b,', '});']]);
  });

  test('HSE-6 only ids of the page are found', () => {
    const ids = new Set(['QQ-1']); // no prefix of the page
    expect(idsIn('Requirement QQ-1, QQ-2, RFC-1, XQQ-1', ids)).toEqual(['QQ-1']);
  });
});
