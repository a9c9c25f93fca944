import { describe, expect, test } from 'vitest';
import { localRepository, repositoryFiles } from '../publishing/manifests.mjs';
import {
  examine,
  markerOf,
  requiredOriginals,
  sectionsOf,
  structureFaults,
  translationFaults,
  translationsOf,
  withDigest,
} from '../translations/translations.mjs';

const files = repositoryFiles();

describe('the Chinese pages', () => {
  test('DOC-3 every original has its translation, accepted since its last change and true to it', () => {
    expect(translationFaults(files, localRepository())).toEqual([]);
  });

  test('DOC-3 the check reads the quick start of every package, and pages of Chinese', () => {
    const packages = files.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path));
    expect(requiredOriginals(files).filter(({ section }) => section === 'quick-start')).toHaveLength(packages.length);
    const repository = localRepository();
    for (const path of translationsOf(files)) expect(repository.read(path)).toMatch(/\p{Script=Han}{4}/u);
  });
});

const ORIGINAL = `# Guard

Refuses what is older than 300 seconds. See [the options](#options-2).

## Install

\`\`\`sh
npm install guard # with the store
\`\`\`

## Options

| name | unit |
| ---- | ---- |
| \`maxAge\` | 60 seconds |
| \`now\` | |

1. A late request is \`TOO_LATE\`, status 400,
   in \`OPTIONAL\` mode too.

### In a picture

\`\`\`mermaid
flowchart LR
  client -->|300 s| guard & store
\`\`\`
`;

const TRANSLATION = `<!-- Translation of guard.md sha256: -->

# 守卫

拒绝超过 300 秒的请求，见[选项](#选项)。

## 安装

\`\`\`sh
npm install guard # with the store
\`\`\`

## 选项

| 名称 | 单位 |
| --- | --- |
| \`maxAge\` | 60 秒 |
| \`now\` | |

1. 在 \`OPTIONAL\` 模式下，迟到的请求同样以 400 拒绝，错误码 \`TOO_LATE\`。

### 图示

\`\`\`mermaid
flowchart LR
  客户端 -->|300 秒| 守卫 & 存储
\`\`\`

<!-- End of the translation -->

[英文全文](guard.md)，共 7 页。
`;

/** A repository whose files are these texts. */
const repositoryOf = (texts: Record<string, string>) => ({
  url: '',
  kindOf: (path: string) => (path in texts ? ('file' as const) : null),
  read: (path: string) => texts[path] as string,
});

describe('the check of translations', () => {
  test('DOC-3 passes what corresponds: words may be in another order, and what follows the end is free', () => {
    expect(structureFaults(ORIGINAL, TRANSLATION)).toEqual([]);
  });

  test.each([
    ['a number', '超过 300 秒', '超过 30 秒', '5: the paragraph lacks 300, adds 30'],
    ['a number of a row', '60 秒', '60 秒（1 分钟）', '17: the row adds 1'],
    ['a code word', '`TOO_LATE`', '`EXPIRED`', '20: the item lacks `TOO_LATE`, adds `EXPIRED`'],
    ['a code word that is gone', '在 `OPTIONAL` 模式下', '在可选模式下', '20: the item lacks `OPTIONAL`'],
    ['code', '# with the store', '# 含存储', '9: the code is not that of the original'],
    ['the language of code', '```sh', '```bash', '9: the code is not that of the original'],
    ['the level of a heading', '### 图示', '## 图示', '22: the heading lacks ###, adds ##'],
    ['a heading that is gone', '## 选项\n', '', '14: row instead of heading: ## Options'],
    ['a row that is gone', '| `now` | |\n', '', '19: item instead of row: | `now` | |'],
    ['a cell that is gone', '| 60 秒', '60 秒', '17: the row lacks 2 cells, adds 1 cells'],
    ['a paragraph more', '## 安装', '还有。\n\n## 安装', '7: paragraph instead of heading: ## Install'],
    ['an arrow', '& 存储', '--> 存储', '24: the diagram lacks &'],
    ['a picture that is gone', /\n```mermaid[\s\S]*/, '', 'end: nothing instead of diagram: ```mermaid'],
    ['a surplus at the end', '<!-- End of the translation -->', '', '31: the original has ended here: [英文全文]'],
  ])('DOC-3 names %s', (_what, from, to, fault) => {
    const changed = TRANSLATION.replace(from, to);
    expect(changed).not.toBe(TRANSLATION);
    expect(structureFaults(ORIGINAL, changed)).toEqual([expect.stringContaining(fault)]);
  });

  test('DOC-3 names a page from the change of its original until it is accepted again', () => {
    const accept = (original: string, translation: string) => {
      const { digest } = examine('a.zh-CN.md', repositoryOf({ 'guard.md': original, 'a.zh-CN.md': translation }));
      return withDigest(translation, digest);
    };
    const faultsOf = (original: string, translation: string) =>
      translationFaults(['a.zh-CN.md'], repositoryOf({ 'guard.md': original, 'a.zh-CN.md': translation })).filter(
        (fault) => !fault.endsWith('has no translation'),
      );
    const hasChanged = 'a.zh-CN.md: guard.md has changed since it was translated';
    expect(faultsOf(ORIGINAL, TRANSLATION)).toEqual([hasChanged]);
    const accepted = accept(ORIGINAL, TRANSLATION);
    expect(faultsOf(ORIGINAL, accepted)).toEqual([]);
    const changed = ORIGINAL.replace('Refuses', 'Accepts');
    expect(faultsOf(changed, accepted)).toEqual([hasChanged]);
    expect(faultsOf(changed, accept(changed, accepted))).toEqual([]);
  });

  test('DOC-3 names originals without a translation, and translations without an original', () => {
    const required = ['README.md', 'packages/guard/README.md'];
    const part = '<!-- Translation of packages/guard/README.md#top,install sha256: -->';
    const texts = {
      'README.md': ORIGINAL,
      'packages/guard/README.md': ORIGINAL,
      'docs/zh/a.md': '# 无',
      'docs/zh/b.md': '<!-- Translation of gone.md sha256: -->',
      'docs/zh/c.md': part.replace('install', 'gone'),
    };
    const faults = translationFaults([...required, ...Object.keys(texts)], repositoryOf(texts));
    expect(faults).toEqual(
      expect.arrayContaining([
        'README.md: has no translation',
        'docs/envelope-v1.md: has no translation',
        'packages/guard/README.md#quick-start: has no translation',
        'docs/zh/a.md: no comment names its original',
        'docs/zh/b.md: its original gone.md is not there',
        'docs/zh/c.md: packages/guard/README.md: no heading has the anchor gone',
      ]),
    );
  });

  test('DOC-3 a translation of sections is compared with these alone, each with what stands below it', () => {
    const parts = sectionsOf(ORIGINAL, ['top', 'options']);
    expect(parts).toMatch(/^# Guard\n[\s\S]*\n## Options\n[\s\S]*### In a picture\n/);
    expect(parts).not.toContain('Install');
    expect(markerOf('<!-- Translation of a/b.md#top,options sha256:00 -->')).toEqual({
      file: 'a/b.md',
      sections: ['top', 'options'],
      digest: '00',
    });
  });
});
