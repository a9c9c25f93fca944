import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { readManifest } from '../publishing/manifests.mjs';
import { cellOf, RUNTIMES, readTable, tableOf, withTable } from '../runtime-table.mjs';

const root = new URL('../../', import.meta.url);
const packages = readdirSync(new URL('packages', root));
const readme = readFileSync(new URL('README.md', root), 'utf8');

describe('the table of runtimes', () => {
  test('ADP-9 the README has a cell for every package on Node 20.19 to 26, Bun and Deno', () => {
    const table = readTable(readme);
    const titles = RUNTIMES.map(({ title }) => title);
    expect(table.titles).toEqual(titles);
    expect(table.packages).toEqual(packages);
    const cells = packages.flatMap((name) => titles.map((title) => table.cell(name, title)));
    expect(new Set(cells)).toEqual(new Set(['both']));
  });

  test('ADP-9 DOC-1 what the README says above its table is true of the table and of the manifests', () => {
    expect(readme).toContain(
      `<summary>${packages.length} packages on ${RUNTIMES.length} runtimes: both ways everywhere`,
    );
    const root = readManifest('package.json');
    const lowest = root.engines.node.replace(/^>=|\.0$/g, '');
    const lines = RUNTIMES.flatMap(({ name }) => /^node@(\d+)$/.exec(name)?.[1] ?? []);
    const [major] = readManifest('node_modules/fastify/package.json').version.split('.');
    const claims = [root.license, `Node.js ${lowest} to ${lines.at(-1)}, Bun, Deno`, `Fastify ${major}`].join(' · ');
    expect(readme.split('\n').filter((line) => line.startsWith(`${claims} · `))).toHaveLength(1);
  });

  test('ADP-9 the command plays a scenario of every package', () => {
    const scenarios = createRequire(import.meta.url)('../runtimes/scenarios.cjs') as object;
    expect(Object.keys(scenarios).sort()).toEqual(packages);
  });

  test('ADP-9 a cell says which ways work', () => {
    expect(cellOf({ import: true, 'require()': true })).toBe('both');
    expect(cellOf({ import: true, 'require()': false })).toBe('import only');
    expect(cellOf({ 'require()': true })).toBe('require() only');
    expect(cellOf({})).toBe('fails');
  });

  test('ADP-9 a table that was written is read again, and a cell that is not there is undefined', () => {
    const table = tableOf(['a', 'b'], ['X', 'Y'], (name, title) => `${name}${title}`);
    const page = withTable('# t\n<!-- runtimes:begin -->\nold\n<!-- runtimes:end -->\nend\n', table);
    expect(page).toBe(`# t\n<!-- runtimes:begin -->\n\n${table}\n\n<!-- runtimes:end -->\nend\n`);
    const { cell, packages: rows, titles } = readTable(page);
    expect([rows, titles]).toEqual([
      ['a', 'b'],
      ['X', 'Y'],
    ]);
    expect([cell('a', 'Y'), cell('b', 'X'), cell('c', 'X'), cell('a', 'Z')]).toEqual([
      'aY',
      'bX',
      undefined,
      undefined,
    ]);
  });
});
