import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  callsServer,
  compilerFaults,
  importedPackages,
  keptFaults,
  matchesExpected,
  parseReadme,
  pathOf,
  shellSteps,
  startsFile,
  withPort,
} from '../readme-blocks.mjs';
import { exemptSections } from '../readme-exemptions.mjs';
import { isCompleteCommand } from '../readme-project.mjs';
import { quickStartOf, structureFaults } from '../readme-structure.mjs';

const fence = (info: string, ...lines: string[]) => ['```'.concat(info), ...lines, '```'].join('\n');

const headings = [
  'Install',
  'Quick start',
  'In an existing app',
  'Testing',
  'Coming from anything',
  'Options',
  'Limits',
];

/** A README that has no fault, with another quick start and other sections where they are given. */
function readmeWith({ quickStart = fence('ts', 'run();'), sections = headings } = {}) {
  const texts: Record<string, string> = { Install: fence('sh', 'npm install fastify'), 'Quick start': quickStart };
  return parseReadme(
    ['# name', ...sections.flatMap((title) => ['', `## ${title}`, '', texts[title] ?? ''])].join('\n'),
  );
}

const messagesOf = (...given: Parameters<typeof structureFaults>) =>
  structureFaults(...given).map(({ message }) => message);

describe('blocks', () => {
  test('ADP-8 finds every block with its section, its line and the file that it names', () => {
    const { blocks, sections } = parseReadme(
      [
        '# a',
        '## Install',
        fence('sh', 'npm i'),
        '## B',
        '1. x',
        '   ```ts plugins/a.ts',
        '   if (x) {',
        '     y();',
        '   }',
        '   ```',
      ].join('\n'),
    );
    expect(sections).toEqual([
      { title: 'Install', line: 2 },
      { title: 'B', line: 6 },
    ]);
    expect(blocks).toEqual([
      { language: 'sh', path: null, section: 'Install', line: 4, text: 'npm i\n' },
      { language: 'ts', path: 'plugins/a.ts', section: 'B', line: 9, text: 'if (x) {\n  y();\n}\n' },
    ]);
  });

  test('ADP-8 a heading within a block is no section, and a longer fence holds shorter ones', () => {
    const { blocks, sections } = parseReadme(['````md', '## no', '```', '````', '## yes'].join('\n'));
    expect(sections.map(({ title }) => title)).toEqual(['yes']);
    expect(blocks.map(({ text }) => text)).toEqual(['## no\n```\n']);
  });

  test('ADP-8 a block without a file name is app.mts or app.mjs', () => {
    const [typed, plain, named] = parseReadme([fence('ts'), fence('js'), fence('js a/b.js')].join('\n')).blocks.map(
      pathOf,
    );
    expect([typed, plain, named]).toEqual(['app.mts', 'app.mjs', 'a/b.js']);
  });

  test('ADP-8 knows the packages that a program imports', () => {
    const program = [
      "import a, { b } from '@x/y/z';",
      "import type { C } from 'c/d';",
      "import 'e';",
      "const f = await import('f');",
      "const g = require('g');",
      "import {\n  h,\n} from 'h';",
      "import { i } from './i.js';",
      "import j from 'node:j';",
      "import k from 'e';",
    ].join('\n');
    expect(importedPackages(program)).toEqual(['@x/y', 'c', 'e', 'f', 'g', 'h']);
  });

  test('ADP-8 the port of the run replaces that of the README', () => {
    expect(withPort('curl http://127.0.0.1:3000/a http://localhost:3000 http://127.0.0.1:30001', 41)).toBe(
      'curl http://127.0.0.1:41/a http://localhost:41 http://127.0.0.1:30001',
    );
    expect(callsServer("baseUrl: 'http://127.0.0.1:3000'")).toBe(true);
    expect(callsServer('port: Number(process.env.PORT ?? 3000)')).toBe(false);
  });
});

describe('structure', () => {
  test('ADP-8 accepts a README that follows the convention', () => {
    expect(messagesOf(readmeWith())).toEqual([]);
  });

  test.each(headings.slice(0, 4))('ADP-8 misses the section %s, unless the package is exempt', (title) => {
    const readme = readmeWith({ sections: headings.filter((each) => each !== title) });
    expect(messagesOf(readme)).toContain(`has no section '## ${title}'`);
    expect(messagesOf(readme, { [title]: 'a reason' })).not.toContain(`has no section '## ${title}'`);
  });

  test('ADP-8 refuses an exemption that has no use, another order and a section in between', () => {
    expect(messagesOf(readmeWith(), { Testing: 'a reason' })).toEqual([expect.stringContaining('end the exemption')]);
    const [install, quickStart, existing, testing, coming] = headings as [string, string, string, string, string];
    expect(messagesOf(readmeWith({ sections: [install, quickStart, testing, existing, coming, 'Limits'] }))).toEqual([
      "'## Testing' stands before '## In an existing app'",
    ]);
    expect(
      messagesOf(readmeWith({ sections: [install, 'Options', quickStart, existing, testing, coming, 'Limits'] })),
    ).toEqual(["'## Options' stands before '## Coming from anything'"]);
  });

  test('HSE-7 misses the limits, and with a reference the links to it', () => {
    const withoutLimits = readmeWith({ sections: headings.slice(0, -1) });
    expect(messagesOf(withoutLimits)).toEqual(["has no section '## Limits'"]);
    const short = [...headings.slice(0, 5), 'Limits', 'Licence'];
    const page = readmeWith({ sections: ['Options'] });
    expect(messagesOf(readmeWith({ sections: short }), {}, [page])).toEqual(["has no section '## Reference'"]);
    expect(messagesOf(readmeWith({ sections: [...short, 'Reference'] }), {}, [page])).toEqual([]);
  });

  test('HSE-7 with a reference, tests and origins may be there, and no other section is in the README', () => {
    const page = readmeWith({ sections: ['Testing', 'Coming from anything'] });
    const short = [...headings.slice(0, 3), 'Limits', 'Reference'];
    expect(messagesOf(readmeWith({ sections: short }), {}, [page])).toEqual([]);
    expect(messagesOf(readmeWith({ sections: short }), {}, [readmeWith({ sections: ['Options'] })])).toEqual([
      "has no section '## Testing'",
      "has no section '## Coming from …'",
    ]);
    expect(messagesOf(readmeWith({ sections: [...short, 'Options'] }), {}, [page])).toEqual([
      "'## Options' belongs to a page of the reference",
    ]);
  });

  test('ADP-8 a quick start is ts and has at most 20 lines that are not blank', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line(${i});`);
    expect(messagesOf(readmeWith({ quickStart: fence('ts', ...lines, '') }))).toEqual([]);
    expect(messagesOf(readmeWith({ quickStart: fence('ts', ...lines, 'more();') }))).toEqual([
      'has a quick start of 21 lines; at most 20 are allowed',
    ]);
    expect(messagesOf(readmeWith({ quickStart: fence('js', 'run();') }))).toEqual([
      'begins its quick start with another block than ts',
    ]);
    expect(messagesOf(readmeWith({ quickStart: '' }))).toEqual(['has no block in its quick start']);
    expect(quickStartOf(readmeWith())?.text).toBe('run();\n');
  });

  test('ADP-8 no block escapes by another name of its language, or by none', () => {
    const extra = parseReadme([fence('typescript'), fence('bash'), fence(''), fence('json')].join('\n')).blocks;
    const readme = readmeWith();
    expect(messagesOf({ ...readme, blocks: [...readme.blocks, ...extra] })).toEqual([
      'has a block in typescript: write ts',
      'has a block in bash: write sh',
      'has a block without a language',
    ]);
  });

  test('ADP-8 every exemption is of a package, and has a reason', () => {
    const packages = readdirSync(new URL('../../packages', import.meta.url));
    for (const [name, sections] of Object.entries(exemptSections)) {
      expect(packages).toContain(name);
      for (const reason of Object.values(sections)) expect(reason.length).toBeGreaterThan(20);
    }
  });
});

describe('shell blocks', () => {
  const stepsOf = (...lines: string[]) => shellSteps(lines.join('\n'), isCompleteCommand);

  test('ADP-8 a comment right after a command is its expected output, any other explains', () => {
    expect(stepsOf('# explains', 'curl a', '# {"a":1}', '# b', 'curl b', '', '# explains', 'curl c # says')).toEqual([
      { command: 'curl a', line: 1, expected: '{"a":1}\nb' },
      { command: 'curl b', line: 4, expected: null },
      { command: 'curl c # says', line: 7, expected: null },
    ]);
  });

  test('ADP-8 a command goes on over lines that the shell would wait for', () => {
    expect(stepsOf('curl a \\', "  -d '{", '# no comment', "}'", '# out')).toEqual([
      { command: "curl a \\\n  -d '{\n# no comment\n}'", line: 0, expected: 'out' },
    ]);
    expect(
      stepsOf('cat <<END', '# text', 'END', 'for i in 1 2; do', 'echo $i', 'done', '# 1').map((step) => step.command),
    ).toEqual(['cat <<END\n# text\nEND', 'for i in 1 2; do\necho $i\ndone']);
  });

  test('ADP-8 an expected output matches as a whole, with … for anything', () => {
    expect(matchesExpected('  {"a":1}\n', '{"a":1}')).toBe(true);
    expect(matchesExpected('HTTP/1.1 200 OK\r\nDate: x\r\n\r\n{"a":1}', 'HTTP/1.1 200 OK\n…\n{"a":1}')).toBe(true);
    expect(matchesExpected('{"a":"abc","b":2}', '{"a":"…","b":2}')).toBe(true);
    expect(matchesExpected('{"a":1}', '{"a":2}')).toBe(false);
    expect(matchesExpected('{"a":1} and more', '{"a":1}')).toBe(false);
    expect(matchesExpected('{"axb":1}', '{"a.b":1}')).toBe(false);
    expect(matchesExpected('', 'something')).toBe(false);
  });

  test('ADP-8 the command that starts the running server is known', () => {
    for (const command of ['npx tsx app.mts', 'node app.mts &', 'npx tsx ./app.mts # starts it']) {
      expect(startsFile(command, 'app.mts')).toBe(true);
    }
    for (const command of ['npx tsx other.mts', 'cat app.mts', 'npx tsx app.mts | head']) {
      expect(startsFile(command, 'app.mts')).toBe(false);
    }
  });
});

test('ADP-8 an error of the compiler is shown at its line of the README', () => {
  const block = { language: 'ts', path: null, section: '', line: 30, text: '' };
  const output = "app.mts(2,7): error TS2322: Type 'number'.\n  More of it.\nsrc/a.ts(9,1): error TS1: x\n";
  expect(compilerFaults(output, block)).toEqual([
    { line: 31, message: "error TS2322: Type 'number'.\n  More of it." },
    { line: 30, message: 'src/a.ts(9,1): error TS1: x' },
  ]);
  expect(compilerFaults('error TS18003: No inputs.', block)).toEqual([
    { line: 30, message: 'error TS18003: No inputs.' },
  ]);
  expect(compilerFaults('', block)).toEqual([]);
});

test('ADP-8 the errors of several kept files are shown at the lines of their blocks', () => {
  const kept = [30, 60, 90].map((line, index) => ({
    place: `.kept/${index}`,
    block: { language: 'ts', path: null, section: '', line, text: '' },
  }));
  const output = '.kept/2/app.mts(2,7): error TS2322: x\n  More of it.\n.kept/0/app.mts(1,1): error TS1: y\n';
  expect(keptFaults(output, kept)).toEqual([
    { line: 30, message: 'error TS1: y' },
    { line: 91, message: 'error TS2322: x\n  More of it.' },
  ]);
  expect(keptFaults('', kept)).toEqual([]);
  expect(keptFaults('', [])).toEqual([]);
});
