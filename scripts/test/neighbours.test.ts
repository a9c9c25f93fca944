import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NEIGHBOURS } from '../neighbours/cells.mjs';
import { isOutcome, keyOf, PAGE, readTable, tableOf, withTable } from '../neighbours/table.mjs';
import { readManifest } from '../publishing/manifests.mjs';

const root = new URL('../../', import.meta.url);
const packages = readdirSync(new URL('packages', root));
const published = readTable(readFileSync(new URL(PAGE, root), 'utf8'));
const declared = NEIGHBOURS.flatMap(({ title, packages: names }) => names.map((name) => keyOf(title, name)));

describe('the table of neighbours', () => {
  test('ADP-12: the page has every cell that the command tries, and none is silent', () => {
    expect([...published.keys()]).toEqual(declared);
    expect([...published].filter(([, says]) => !isOutcome(says))).toEqual([]);
  });

  test('ADP-12: every neighbour that the requirement names is tried, and holds with a package', () => {
    const named = ['zod', 'TypeBox', 'tRPC', 'mercurius', 'http-proxy', 'websocket', 'server-sent', 'hijacked'];
    const others = ['HTTP/2', 'PgBouncer, node-postgres', 'PgBouncer, postgres.js', 'esbuild', 'newest'];
    const titles = NEIGHBOURS.map(({ title }) => title);
    expect([...named, ...others].filter((word) => !titles.some((title) => title.includes(word)))).toEqual([]);
    const holding = [...published].filter(([, says]) => says === 'holds').map(([key]) => key);
    expect([...named, ...others].filter((word) => !holding.some((key) => key.includes(word)))).toEqual([]);
  });

  test('ADP-12: every package is tried in a bundle, and with the oldest Fastify that the manifests allow', () => {
    const oldest = readManifest('packages/idempotency/package.json').peerDependencies?.fastify.replace('^', '');
    for (const title of ['esbuild bundle', `Fastify ${oldest}`, 'Fastify 5, newest']) {
      const neighbour = NEIGHBOURS.find((each) => each.title === title);
      expect([title, ...(neighbour?.packages ?? [])]).toEqual([title, ...packages]);
    }
  });

  test('ADP-12: silence is no outcome, and neither is a code that is none', () => {
    expect(['holds', 'refuses with ENVELOPE_REQUIRED'].filter(isOutcome)).toHaveLength(2);
    expect(['SILENT', '', 'refuses with', 'refuses with 500', undefined, null].filter(isOutcome)).toEqual([]);
  });

  test('ADP-12: a table that was written is read again, and a cell that was not tried is silent', () => {
    const neighbours = [
      { name: 'x', title: 'X, one', kind: 'application', packages: ['a', 'b'] },
      { name: 'y', title: 'Y', kind: 'application', packages: ['a'] },
    ] as const;
    const cells = new Map([
      ['X, one / a', 'holds'],
      ['X, one / b', 'refuses with SOME_CODE'],
    ]);
    const table = tableOf(neighbours, (title, name) => cells.get(keyOf(title, name)));
    const page = withTable('# t\n<!-- neighbours:begin -->\nold\n<!-- neighbours:end -->\nend\n', table);
    expect(page).toContain('| X, one    | b       | refuses with `SOME_CODE` |');
    expect(page.endsWith('<!-- neighbours:end -->\nend\n')).toBe(true);
    expect([...readTable(page)]).toEqual([...cells, ['Y / a', 'SILENT']]);
  });
});
