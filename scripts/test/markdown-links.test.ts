import { describe, expect, test } from 'vitest';
import { localRepository, publishedPackages, repositoryFiles, ships } from '../publishing/manifests.mjs';
import { anchorsOf, linkFaults, linksOf } from '../publishing/markdown-links.mjs';

const files = repositoryFiles();
const packages = publishedPackages(files);
const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('.changeset/'));

/** The package that a page is published with. */
function publishedWith(path: string) {
  const found = packages.find(
    ({ folder, manifest }) => path.startsWith(`${folder}/`) && ships(manifest, path.slice(folder.length + 1)),
  );
  if (found === undefined) return {};
  const { folder, manifest } = found;
  return { published: { folder, ships: (file: string) => ships(manifest, file) } };
}

describe('links', () => {
  test('PUB-1 every link of every page arrives, and those of published pages on npm, too', () => {
    const repository = localRepository();
    const faults = pages.flatMap((path) => linkFaults({ path, ...publishedWith(path) }, repository));
    expect(faults).toEqual([]);
  });

  test('PUB-1 the check reads the READMEs: absolute links to the repository, relative ones and anchors', () => {
    const repository = localRepository();
    const targets = pages.flatMap((path) => linksOf(repository.read(path))).map(({ target }) => target);
    const count = (isCounted: (target: string) => boolean) => targets.filter(isCounted).length;
    expect(count((target) => target.startsWith(`${repository.url}/blob/main/packages/`))).toBeGreaterThan(20);
    expect(count((target) => target.startsWith('#'))).toBeGreaterThan(20);
    expect(count((target) => !target.includes(':') && !target.startsWith('#'))).toBeGreaterThan(50);
  });
});

describe('the check of links', () => {
  const url = 'https://github.com/who/what';
  const texts: Record<string, string> = {
    'packages/a/README.md': '# A\n## Use of `b`\n',
    'packages/a/src/index.ts': '',
    'packages/a/bench/main.mjs': '',
    'packages/b/README.md': '# B\n',
    'docs/picture.png': '',
  };
  const faultsOf = (text: string, path = 'packages/a/README.md', isPublished = true) =>
    linkFaults(
      isPublished
        ? { path, published: { folder: 'packages/a', ships: (file) => /^(?:src|README)/.test(file) } }
        : { path },
      {
        url,
        kindOf: (at) =>
          at in texts ? 'file' : Object.keys(texts).some((each) => each.startsWith(`${at}/`)) ? 'folder' : null,
        read: (at) => (at === path ? `${texts[at]}${text}` : (texts[at] as string)),
      },
    ).map((fault) => fault.replace(/^\S+ \S+ /, ''));

  test('PUB-1 passes what arrives', () => {
    for (const target of [
      '#use-of-b',
      'src/index.ts',
      `${url}/blob/main/packages/b/README.md#b`,
      `${url}/tree/main/packages/b`,
      'https://example.com/anything',
    ])
      expect([target, ...faultsOf(`[x](${target})`)]).toEqual([target]);
    expect(faultsOf('![x](https://raw.githubusercontent.com/who/what/main/docs/picture.png)')).toEqual([]);
    expect(faultsOf('[x](../b)', 'packages/a/README.md', false)).toEqual([]);
  });

  test.each([
    ['a path out of the package', '[x](../b/README.md)', /leads out/],
    ['a file that is not published', '[x](bench/main.mjs)', /not in the tarball/],
    ['a file that is not there', '[x](src/no.ts)', /no such file/],
    ['a file that is not in the repository', `[x](${url}/blob/main/packages/c/README.md)`, /no such file/],
    ['an anchor that is not there', '[x](#no)', /no heading/],
    ['an anchor that is not in the other page', `[x](${url}/blob/main/packages/b/README.md#no)`, /no heading/],
    ['a folder as a file', `[x](${url}/blob/main/packages/b)`, /tree/],
    ['another branch', `[x](${url}/blob/next/packages/b/README.md)`, /branch/],
    ['a picture by its page', `![x](${url}/blob/main/docs/picture.png)`, /page about/],
    ['a picture by a path out of the package', '![x](../../docs/picture.png)', /leads out/],
    ['a reference', '[x][y]\n\n[y]: ../b/README.md', /leads out/],
    ['HTML', '<img alt="" src="../../docs/picture.png">', /leads out/],
    ['a picture within a link', `[![x](../../docs/picture.png)](${url})`, /leads out/],
  ])('PUB-1 names %s', (_what, text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(fault)]);
  });

  test('PUB-1 code holds no links, and a line is counted with the code above it', () => {
    const markdown = ['```md', '[x](no.md)', '```', '`[x](no.md)` [y](yes.md)'].join('\n');
    expect(linksOf(markdown)).toEqual([{ target: 'yes.md', line: 4, isPicture: false }]);
  });

  test('PUB-1 makes anchors as GitHub does: of Chinese, of code, of links, and of a title that stands twice', () => {
    const markdown = [
      '# 快速开始',
      '## What `a` does',
      '## A, and [b](c.md)',
      '### Same',
      '### Same',
      '```',
      '# no',
      '```',
    ];
    expect(anchorsOf(markdown.join('\n'))).toEqual(['快速开始', 'what-a-does', 'a-and-b', 'same', 'same-1']);
  });
});
