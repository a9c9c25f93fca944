import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { lacks } from '../test-needs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/requirements.md';

/** Prefixes of requirements. The page need not have an entry of each yet. */
const REQUIREMENT_PREFIXES =
  'HTTP ORD IP TOK ADM LGN PWD USR APP ENV RPL IDM UPL AUD SYS OPS REL PRF ADP EXM CAP OTC API CON DOC PUB TST HSE MFA'.split(
    ' ',
  );

/** Names of standards that look like ids. */
const STANDARDS = ['AES', 'ISO', 'RFC', 'SHA', 'UTF'];

/** Files whose texts are data: versions, test vectors, foreign documents, what a program wrote. */
const DATA_FILES = /^pnpm-lock\.yaml$|(?:^|\/)(?:vectors|corpus|generated|drizzle\/meta)\/|\.generated\./;

interface Citation {
  readonly id: string;
  /** False within a range of hostile cases, whose numbers have gaps. */
  readonly needsEntry: boolean;
}

/** The ids of the page's entries, in its order. */
function entriesOf(page: string): string[] {
  return [...page.matchAll(/^- \*\*([A-Z]{2,5}-\d{1,3})\*\* /gm)].map(([, id]) => id as string);
}

const prefixOf = (id: string): string => id.slice(0, id.indexOf('-'));

/** Every id with one of the prefixes. `UPL-2 to UPL-4` cites the ids between as well. */
function citationsOf(text: string, prefixes: readonly string[]): Citation[] {
  const prefix = `(?<![\\w-])(${prefixes.join('|')})-`;
  const cited = [...text.matchAll(new RegExp(`${prefix}\\d{1,3}(?!\\w)`, 'g'))];
  const ranges = text.matchAll(new RegExp(`${prefix}(\\d{1,3}) ?(?:to|–|…|\\.{2,3}) ?\\1-(\\d{1,3})(?!\\w)`, 'g'));
  return [
    ...cited.map(([id]) => ({ id, needsEntry: true })),
    ...[...ranges].flatMap(([, name, first, last]) => between(name as string, first as string, last as string)),
  ];
}

/** The ids of a range without its two ends. */
function between(prefix: string, first: string, last: string): Citation[] {
  const needsEntry = REQUIREMENT_PREFIXES.includes(prefix);
  return Array.from({ length: Math.max(0, Number(last) - Number(first) - 1) }, (_, i) => {
    const number = String(Number(first) + 1 + i).padStart(first.length, '0');
    return { id: `${prefix}-${number}`, needsEntry };
  });
}

/** The ids that texts of a test file begin with, whatever their prefix: the names of tests do. */
function leadingCitationsOf(testFile: string): Citation[] {
  return [...testFile.matchAll(/['"`]((?:[A-Z]{2,5}-\d{1,3} )+)/g)]
    .flatMap(([, ids]) => (ids as string).trim().split(' '))
    .filter((id) => !STANDARDS.includes(prefixOf(id)))
    .map((id) => ({ id, needsEntry: true }));
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Undefined and repeated ids, and entries that nothing cites, one line for each. */
function faultsOf(page: string, files: readonly SourceFile[]): string[] {
  const entries = entriesOf(page);
  const defined = new Set(entries);
  const prefixes = [...new Set([...REQUIREMENT_PREFIXES, ...entries.map(prefixOf)])];
  const faults = new Set<string>();
  for (const [i, id] of entries.entries()) {
    if (entries.indexOf(id) !== i) faults.add(`${PAGE} defines ${id} twice`);
  }
  const cited = new Set<string>();
  for (const { path, text } of [...files, { path: PAGE, text: page }]) {
    const leading = path.endsWith('.test.ts') ? leadingCitationsOf(text) : [];
    for (const { id, needsEntry } of [...citationsOf(text, prefixes), ...leading]) {
      if (path !== PAGE) cited.add(id);
      if (needsEntry && !defined.has(id)) faults.add(`${path} cites ${id}, which ${PAGE} does not define`);
    }
  }
  for (const id of defined) if (!cited.has(id)) faults.add(`${PAGE} defines ${id}, which nothing cites`);
  return [...faults];
}

/** The tracked files that may cite ids. A file that was removed but not yet from the index is left out. */
function trackedFiles(): SourceFile[] {
  return execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && path !== PAGE && !DATA_FILES.test(path))
    .filter((path) => statSync(root + path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
}

// A copy of the sources without their history has no index to list them by.
describe.skipIf(lacks('git'))('the repository', () => {
  test('cites only ids that docs/requirements.md defines, and the page defines only ids that are cited', () => {
    expect(faultsOf(readFileSync(root + PAGE, 'utf8'), trackedFiles())).toEqual([]);
  });
});

/** What only a browser shows, a trained reader, or a machine that is filled up. */
const SYSTEM_ONLY = ['CAP-2', 'CON-2', 'CON-4', 'CON-5', 'REL-8'];

describe.skipIf(lacks('git'))('the tests', () => {
  const tests = trackedFiles().filter(
    ({ path }) => /\.test\.ts$/.test(path) && !path.endsWith('/requirements.test.ts'),
  );
  const namedBy = (isSystem: boolean) =>
    new Set(
      tests
        .filter(({ path }) => path.includes('.system.') === isSystem)
        .flatMap(({ text }) => citationsOf(text, REQUIREMENT_PREFIXES).map(({ id }) => id)),
    );

  test('TST-1 name every requirement in the fast command that needs no process, kill or service', () => {
    const [fast, system] = [namedBy(false), namedBy(true)];
    expect([...system].filter((id) => !fast.has(id)).sort()).toEqual(SYSTEM_ONLY);
  });

  test('TST-2 are skipped by `lacks` alone, which names what they need', () => {
    const skips = tests.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:it|test|describe|suite|context)\s*\.\s*(?:skip|skipIf|runIf|todo)\b[^\n]*/g)]
        .filter(([call]) => !/\.skipIf\((?:lacks\(|storage !== )/.test(call))
        .map(([call]) => `${path}: ${call}`),
    );
    expect(skips).toEqual([]);
  });
});

describe('the check of citations', () => {
  /** Makes the ids of these tests from two parts, so that this file does not cite them. */
  const id = (prefix: string, number: string | number): string => `${prefix}-${number}`;
  const [tok1, tok3, ec01] = [id('TOK', 1), id('TOK', 3), id('EC', '01')];
  const page = [`- **${tok1}** One.`, `- **${tok3}** Three, after ${tok1}.`, `- **${ec01}** A case.`].join('\n');
  const faults = (text: string, path = 'src/a.ts') =>
    faultsOf(page, [
      { path: 'src/rest.ts', text: `${tok1}, ${tok3}, ${ec01}` },
      { path, text },
    ]);

  test('passes where every citation has an entry and every entry a citation', () => {
    expect(faults(`// ${tok1}, ${tok3} (${ec01})`)).toEqual([]);
  });

  test('names the file and the id of a citation without an entry, of known and of planned prefixes', () => {
    const [planned, missing, hostile] = [id('CAP', 9), id('TOK', 2), id('EC', '02')];
    expect(faults(`${planned} ${missing} ${hostile}`)).toEqual(
      [planned, missing, hostile].map((cited) => `src/a.ts cites ${cited}, which ${PAGE} does not define`),
    );
  });

  test('finds an unknown prefix at the beginning of a test name, and nowhere else', () => {
    const name = `it('${tok1} ${id('ZZ', 7)} does something, ${id('YY', 8)} or not', f); ['${id('UTF', 8)} text'];`;
    expect(faults(name, 'test/a.test.ts')).toEqual([
      `test/a.test.ts cites ${id('ZZ', 7)}, which ${PAGE} does not define`,
    ]);
    expect(faults(name, 'src/a.ts')).toEqual([]);
  });

  test('takes no part of a longer word for an id', () => {
    const unknown = id('TOK', 9);
    expect(faults(`X${unknown} A-${unknown} ${unknown}th ${id('TOK', 2026)} ${id('SHA', 256)}`)).toEqual([]);
  });

  test('expands a range of requirements; of hostile cases, whose numbers have gaps, its ends count', () => {
    expect(faults(`${tok1} to ${tok3}`)).toEqual([`src/a.ts cites ${id('TOK', 2)}, which ${PAGE} does not define`]);
    expect(faults(`${ec01} to ${id('EC', '03')}`)).toEqual([
      `src/a.ts cites ${id('EC', '03')}, which ${PAGE} does not define`,
    ]);
    expect(citationsOf(`${id('EC', '08')}–${id('EC', '11')}`, ['EC']).map((citation) => citation.id)).toEqual(
      ['08', '11', '09', '10'].map((number) => id('EC', number)),
    );
  });

  test('names an entry that stands twice, one that nothing cites, and an undefined id on the page itself', () => {
    const twice = `${page}\n- **${tok1}** Again, see ${id('TOK', 4)}.`;
    expect(faultsOf(twice, [{ path: 'src/a.ts', text: `${tok1} ${ec01}` }])).toEqual([
      `${PAGE} defines ${tok1} twice`,
      `${PAGE} cites ${id('TOK', 4)}, which ${PAGE} does not define`,
      `${PAGE} defines ${tok3}, which nothing cites`,
    ]);
  });
});
