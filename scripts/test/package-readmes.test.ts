import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readmeOf, referencePagesOf } from '../package-pages.mjs';
import { localRepository, repositoryFiles } from '../publishing/manifests.mjs';
import { linkFaults, linksOf } from '../publishing/markdown-links.mjs';
import { parseReadme } from '../readme-blocks.mjs';
import { exemptSections } from '../readme-exemptions.mjs';
import { languageFaults, structureFaults } from '../readme-structure.mjs';

/** Words of a README, as `wc -w` counts them: code and tables included. */
const MAX_README_WORDS = 1500;

/** A page of the reference is read from its beginning to its end. */
const MAX_PAGE_WORDS = 2600;

const packages = readdirSync(new URL('../../packages', import.meta.url));
const repository = localRepository();
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
const reference = packages.flatMap(referencePagesOf);

describe('the READMEs of packages', () => {
  test.each(packages)(`HSE-7 the README of %s has at most ${MAX_README_WORDS} words`, (name) => {
    expect(wordsOf(repository.read(readmeOf(name)))).toBeLessThanOrEqual(MAX_README_WORDS);
  });

  test.each(packages)(
    'HSE-7 the README of %s has the sections of the convention, and its reference the rest',
    (name) => {
      const [readme, ...pages] = [readmeOf(name), ...referencePagesOf(name)].map((path) => repository.read(path));
      expect(structureFaults(parseReadme(readme!), exemptSections[name], pages.map(parseReadme))).toEqual([]);
      expect(pages.flatMap((page) => languageFaults(parseReadme(page)))).toEqual([]);
    },
  );

  test.each(['login-policy', 'upload-policy'])(
    'HSE-7 the README of %s names every hook that the plugin uses, and says why the rest is a call in the handler',
    (name) => {
      const isSource = (path: string) => path.startsWith(`packages/${name}/src/`) && path.endsWith('.ts');
      const hooks = repositoryFiles()
        .filter(isSource)
        .flatMap((path) => [...repository.read(path).matchAll(/^ {2}\w+\.addHook\('(\w+)'/gm)])
        .map(([, hook]) => `\`${hook}\``);
      expect(hooks.length).toBeGreaterThan(0);
      const readme = repository.read(readmeOf(name));
      expect(hooks.filter((hook) => !readme.includes(hook))).toEqual([]);
      expect(readme).toContain('The rest is a call in the handler');
    },
  );

  test('HSE-7 every page of the reference is of a package, leads back to its README, and can be read at once', () => {
    expect(
      repositoryFiles()
        .filter((path) => path.startsWith('docs/reference/'))
        .sort(),
    ).toEqual(reference.sort());
    for (const path of reference) {
      const text = repository.read(path);
      const name = /^docs\/reference\/([a-z-]+)/.exec(path)![1]!;
      const back = `${'../'.repeat(path.split('/').length - 1)}${readmeOf(name)}`;
      expect([path, linksOf(text)[0]?.target]).toEqual([path, back]);
      expect(text).toMatch(new RegExp(`^# ${name}: [A-Za-z]`));
      expect([path, wordsOf(text) <= MAX_PAGE_WORDS]).toEqual([path, true]);
    }
  });

  test('HSE-7 the README links to every page of the reference', () => {
    const targets = packages.flatMap((name) => linksOf(repository.read(readmeOf(name)))).map(({ target }) => target);
    expect(reference.filter((path) => !targets.includes(`${repository.url}/blob/main/${path}`))).toEqual([]);
  });

  test('HSE-7 addresses in the messages of packages arrive', () => {
    const address = new RegExp(`${repository.url}/(?:blob|tree)/main/[\\w./#-]*[\\w/-]`, 'g');
    const sources = repositoryFiles().filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path));
    const faultsOf = (path: string, text: string) => {
      const links = [...text.matchAll(address)].map(([target]) => `[x](${target})`).join('\n');
      const read = (at: string) => (at === path ? links : repository.read(at));
      return linkFaults({ path }, { ...repository, read });
    };
    expect(sources.flatMap((path) => faultsOf(path, repository.read(path)))).toEqual([]);
    expect(faultsOf('a.ts', `see ${repository.url}/blob/main/docs/reference/no.md#a.`)).toHaveLength(1);
  });
});
