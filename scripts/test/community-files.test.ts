import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publishedPackages, readManifest, repositoryFiles, repositoryUrl } from '../publishing/manifests.mjs';
import { RUNTIMES } from '../runtime-table.mjs';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface Field {
  type: string;
  id?: string;
  attributes: { label?: string; options?: string[]; value?: string };
}

const formOf = (name: string) =>
  parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as { name: string; description: string; body: Field[] };

describe('what GitHub shows to those who come', () => {
  test.each(['bug', 'feature'])('PUB-1 the form of a %s asks for the package, and lists every one', (name) => {
    const form = formOf(name);
    expect([form.name, form.description].every((text) => text.length > 2)).toBe(true);
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(fields.every(({ id, attributes }) => id !== undefined && attributes.label !== undefined)).toBe(true);
    const packages = publishedPackages(repositoryFiles()).map(({ manifest }) =>
      manifest.name.replace('@sallyport/', ''),
    );
    const listed = fields.find(({ id }) => id === 'package')?.attributes.options ?? [];
    expect(listed.slice(0, packages.length)).toEqual(packages.sort());
  });

  test('PUB-1 vulnerabilities are led away from public issues', () => {
    const config = parse(read('.github/ISSUE_TEMPLATE/config.yml')) as {
      blank_issues_enabled: boolean;
      contact_links: { url: string }[];
    };
    expect(config.blank_issues_enabled).toBe(false);
    expect(config.contact_links[0]?.url).toBe(`${repositoryUrl()}/security/advisories/new`);
    expect(formOf('bug').body[0]?.attributes.value).toContain(`${repositoryUrl()}/blob/main/SECURITY.md`);
  });

  test('PUB-1 the support policy has a line for each Node release that tests run on, and says no to MySQL', () => {
    const policy = read('SUPPORT.md');
    const section = policy.slice(policy.indexOf('## Node.js'), policy.indexOf('## Databases'));
    const rows = [...section.matchAll(/^\| (\d[\d.]*)/gm)].map(([, release]) => release);
    const lowest = (readManifest('package.json').engines.node as string).replace(/^>=|\.0$/g, '');
    const lines = RUNTIMES.map(({ name }) => /^node@(\d+)$/.exec(name)?.[1]).filter((line) => line !== undefined);
    expect(rows).toEqual([lowest, ...lines.filter((line) => line !== lowest.split('.')[0])]);
    expect(policy).toMatch(/MySQL[^.]* not supported/);
  });

  test('PUB-1 README, security policy and code of conduct lead to one another', () => {
    const links = [
      ['README.md', 'SUPPORT.md'],
      ['README.md', 'CODE_OF_CONDUCT.md'],
      ['SECURITY.md', 'SUPPORT.md'],
      ['SUPPORT.md', 'SECURITY.md'],
      ['CODE_OF_CONDUCT.md', 'SECURITY.md'],
    ] as const;
    expect(links.filter(([from, to]) => !read(from).includes(`](${to})`))).toEqual([]);
  });
});
