import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../../docs/.vitepress/anchors.js';
import { linkOf, pageOf, REPOSITORY_URL } from '../../docs/.vitepress/pages.js';
import { searchWords } from '../../docs/.vitepress/search-words.js';
import { chinese, english } from '../../docs/.vitepress/sidebars.js';
import { blocksOf, pages, pagesFollowedIn, placeOf, readPage } from '../guides/pages.mjs';
import { referencePagesOf } from '../package-pages.mjs';
import { repositoryFiles, repositoryUrl } from '../publishing/manifests.mjs';
import { anchorsOf, linksOf } from '../publishing/markdown-links.mjs';

/** The pages of the site by their addresses, without `.md`. */
const site: ReadonlyMap<string, string> = new Map(
  repositoryFiles().flatMap((file) => {
    const page = pageOf(file);
    return page === undefined ? [] : [[`/${page.replace(/\.md$/, '')}`, file] as const];
  }),
);

/** Whether an address of the site is that of a page, and its anchor that of a heading. */
function arrives(address: string): boolean {
  const [path = '', anchor] = address.split('#', 2);
  const file = site.get(path.endsWith('/') ? `${path}index` : path);
  if (file === undefined) return false;
  return anchor === undefined || anchorsOf(readPage(file)).includes(decodeURIComponent(anchor));
}

/** One line for each link of a page that leads nowhere on the site. Links to other hosts are not followed. */
function linkFaults(file: string, markdown: string): string[] {
  return linksOf(markdown)
    .filter(({ isPicture }) => !isPicture)
    .map(({ target, line }) => ({ target, line, address: linkOf(target, file) }))
    .filter(({ target, address }) => {
      if (target.startsWith('#')) return !anchorsOf(markdown).includes(decodeURIComponent(target.slice(1)));
      return !/^[a-z]+:/.test(address) && !arrives(address);
    })
    .map(({ target, line }) => `${file}:${line}: ${target}`);
}

const names = readdirSync(new URL('../../packages', import.meta.url));

type Links = typeof english.nav;

const linksIn = (items: Links): string[] => items.flatMap((item) => [item.link, ...linksIn(item.items ?? [])]);

const linksOfMenus = ({ nav, sidebar = [] }: typeof english) =>
  linksIn([...nav, ...sidebar.flatMap(({ items }) => items)]);

describe('the site', () => {
  test('DOC-1 every link and every anchor of every page arrives', () => {
    expect(site.size).toBeGreaterThan(50);
    expect([...site.values()].flatMap((file) => linkFaults(file, readPage(file)))).toEqual([]);
  });

  test('DOC-1 a link that leads nowhere is named, on the same page, on another, and to no page', () => {
    const markdown = '[a](#no) [b](guides/testing.md#no) [c](guides/no.md) [d](guides/testing.md#the-tests)';
    expect(linkFaults('docs/index.md', markdown)).toEqual([
      'docs/index.md:1: #no',
      'docs/index.md:1: guides/testing.md#no',
      'docs/index.md:1: guides/no.md',
    ]);
  });

  test.each([
    ['../packages/idempotency/README.md#behaviour', '/plugins/idempotency#behaviour'],
    [`${REPOSITORY_URL}/blob/main/packages/idempotency/README.md`, '/plugins/idempotency'],
    ['../examples/nest-app#readme', '/examples/nest-app'],
    ['index.md', '/'],
    ['../package.json', `${REPOSITORY_URL}/blob/main/package.json`],
    ['../packages/plugin-kit/src/options', `${REPOSITORY_URL}/tree/main/packages/plugin-kit/src/options`],
    ['https://example.com/a', 'https://example.com/a'],
  ])('DOC-1 the link %s leads to %s', (href, address) => {
    expect(linkOf(href, 'docs/api.md')).toBe(address);
  });

  test('DOC-1 its repository is that of package.json', () => {
    expect(REPOSITORY_URL).toBe(repositoryUrl());
  });

  test.each([
    ['English', english, (page: string) => !page.startsWith('/zh/')],
    ['Chinese', chinese, (page: string) => page.startsWith('/zh/') && chinese.sidebar !== undefined],
  ])('DOC-1 every link of the menus in %s is a page, and every page is in the sidebar', (_, menus, isOurs) => {
    const isOfRepository = (link: string) => link.startsWith(`${REPOSITORY_URL}/`);
    // Made from the types, when the site is built.
    const isMade = (link: string) => names.some((name) => link === `/types/${name}`);
    const isBuilt = (link: string) =>
      !isOfRepository(link) && !isMade(link) && (link !== '/zh/' || site.has('/zh/index'));
    expect(linksOfMenus(menus).filter((link) => isBuilt(link) && !arrives(link))).toEqual([]);
    const linked = new Set(linksOfMenus(menus).map((link) => (link.endsWith('/') ? `${link}index` : link)));
    expect([...site.keys()].filter((page) => isOurs(page) && !linked.has(page))).toEqual([]);
  });

  test('DOC-5 the words of the search are at least forty, each for one page of the site', () => {
    expect(Object.keys(searchWords).filter((page) => !site.has(`/${page.replace(/\.md$/, '')}`))).toEqual([]);
    const words = Object.values(searchWords).flat();
    expect(words.length).toBeGreaterThan(40);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    for (const word of ['lockout', 'csrf', 'docker', '2FA', 'pgbouncer']) expect(words).toContain(word);
  });

  test('DOC-5 the menu has a page of every exported name for each package', () => {
    const group = english.sidebar?.find(({ text }) => text === 'Every exported name');
    expect(group?.items.map(({ link }) => link)).toEqual(names.map((name) => `/types/${name}`));
  });

  test('HSE-7 the reference of a plugin stands below it in both menus, in the order of its README', () => {
    for (const [menus, folder] of [
      [english, '/plugins'],
      [chinese, '/zh/plugins'],
    ] as const) {
      const items = menus.sidebar?.flatMap((group) => group.items) ?? [];
      for (const name of names) {
        const plugin = items.find(({ link }) => link === `${folder}/${name}`);
        const addresses = referencePagesOf(name).map((path) => linkOf(path, 'README.md'));
        const linked = linksIn(plugin?.items ?? []);
        expect([name, ...linked.map((link) => link.replace(/^\/zh/, ''))]).toEqual([name, ...addresses]);
        for (const { text } of plugin?.items ?? []) expect(text).toMatch(/^[\p{Lu}\p{Script=Han}]/u);
      }
    }
  });

  test('DOC-1 anchors are those of the host, also for headings of several languages', () => {
    const headings = ['In an existing app', 'Answers as `{ code }`', '快速 开始', "What can't be seen"];
    const hosted = anchorsOf(headings.map((heading) => `## ${heading}`).join('\n'));
    expect(headings.map((heading) => anchorOf(heading.replaceAll('`', '')))).toEqual(hosted);
  });
});

describe('blocks of pages', () => {
  test('DOC-1 every block of ts, js or sh is followed, or has the reason why not', () => {
    const faults = pages.flatMap((path) => {
      const place = placeOf(readPage(path));
      const { run } = blocksOf(readPage(path));
      if (place === null) return run.map(({ line }) => `${path}:${line}: nobody runs this block`);
      if (place !== 'clone' && place !== 'project') return [`${path}: nobody follows pages in '${place}'`];
      return run.length === 0 ? [`${path}: nothing to follow`] : [];
    });
    expect(faults).toEqual([]);
  });

  test('DOC-1 the text before a block names its file or its terminal, since no host shows what stands after the fence', () => {
    const faults = pages.flatMap((path) => {
      const markdown = readPage(path);
      return blocksOf(markdown)
        .run.filter(({ path: name }) => name !== null)
        .filter(({ language, path: name, line }) => {
          const above =
            markdown
              .split('\n')
              .slice(0, line - 2)
              .findLast((text) => text.trim() !== '') ?? '';
          return !(language === 'sh' ? /terminal|start(?:ed)? /i.test(above) : above.includes(`\`${name}\``));
        })
        .map(({ path: name, line }) => `${path}:${line}: ${name}`);
    });
    expect(faults).toEqual([]);
  });

  test('DOC-1 guides are followed in a clone and in an empty project', () => {
    expect(pagesFollowedIn('clone').length).toBeGreaterThanOrEqual(6);
    expect(pagesFollowedIn('project').length).toBeGreaterThanOrEqual(6);
  });

  test('DOC-1 a block is left out by the reason above it, and by nothing else', () => {
    const fenced = (text: string) => `\`\`\`sh\n${text}\n\`\`\`\n`;
    const reason = '<!-- not run: it needs a proxy -->';
    const page = `${fenced('one')}${reason}\n\n${fenced('two')}${reason}\n\nText.\n\n${fenced('three')}`;
    const { run, left } = blocksOf(page);
    expect(run.map(({ text }) => text)).toEqual(['one\n', 'three\n']);
    expect(left.map(({ text, reason: why }) => [text, why])).toEqual([['two\n', 'it needs a proxy']]);
  });
});
