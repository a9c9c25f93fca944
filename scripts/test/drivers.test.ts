import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { referencePagesOf } from '../package-pages.mjs';

const root = new URL('../../', import.meta.url);
const pages = ['packages', 'examples']
  .flatMap((folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}/README.md`))
  .concat(readdirSync(new URL('packages', root)).flatMap(referencePagesOf))
  .concat(readdirSync(new URL('docs/zh/plugins', root)).map((name) => `docs/zh/plugins/${name}`))
  .flatMap((path) => {
    try {
      return [{ path, text: readFileSync(new URL(path, root), 'utf8') }];
    } catch {
      return [];
    }
  })
  .filter(({ text }) => /drizzle-orm\/postgres-js|from 'postgres'|postgres(?:\.js|-js)\b/.test(text));

it('REL-16 the walk finds the READMEs of every package with an entry for PostgreSQL', () => {
  const withEntry = readdirSync(new URL('packages', root)).filter(
    (name) => './postgres' in JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, root), 'utf8')).exports,
  );
  expect(withEntry.length).toBeGreaterThanOrEqual(5);
  const found = pages.map(({ path }) => path);
  expect(found).toEqual(expect.arrayContaining(withEntry.map((name) => `packages/${name}/README.md`)));
});

it.each(pages)('REL-16 $path names the patch of the driver, and where the page on drivers is', ({ text }) => {
  const named = text.split('\n').find((line) => line.includes('drivers-and-poolers.md') && /patch|补丁/.test(line));
  expect(named).toBeDefined();
});
