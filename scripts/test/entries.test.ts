import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { readSource, sources } from './import-graph.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Entries that run in browsers and in mini programs. */
const FOR_BROWSERS =
  /^(?:captcha\/client|envelope-crypto\/(?:client|gm)|idempotency\/client|login-policy\/password-rules|[a-z-]+\/(?:postgres-)?refusals$)/;

/** Packages of drizzle are an application's choice, so only these entries import them. */
const WITH_TABLES = /^[a-z-]+\/(?:postgres|delivery)$/;

const entries = readdirSync(`${root}packages`).flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8'));
  return Object.entries<{ '@sallyport/source'?: string }>(exports).flatMap(([entry, target]) => {
    const source = target['@sallyport/source'];
    return source === undefined
      ? []
      : [{ name: `${name}${entry.slice(1)}`, file: `${root}packages/${name}/${source}` }];
  });
});

/** What the sources behind an entry import when they run, except for packages of this repository. */
async function importsOf(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [file],
    ...{ bundle: true, write: false, metafile: true, outdir: '/', platform: 'node', format: 'esm' },
    ...{ conditions: ['@sallyport/source'], logLevel: 'silent', external: ['node:*'] },
    plugins: [
      {
        name: 'leave out what others publish',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
            kind === 'entry-point' || path.startsWith('@sallyport/') ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  const outputs = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  return [...new Set(outputs.filter(({ external }) => external).map(({ path }) => path))].sort();
}

const imports = new Map(
  await Promise.all(entries.map(async ({ name, file }) => [name, await importsOf(file)] as const)),
);
const entriesWith = (pattern: RegExp) =>
  [...imports].filter(([, paths]) => paths.some((path) => pattern.test(path))).map(([name]) => name);

test('ADP-1 drizzle is needed by the entries for PostgreSQL alone', () => {
  expect(entriesWith(/^drizzle-orm/).filter((name) => !name.endsWith('/postgres'))).toEqual([
    // Reads the log from PostgreSQL.
    'audit-log/delivery',
  ]);
});

test('HSE-1 an entry of plugin-kit carries what its room needs, and nothing of the others', () => {
  const found = Object.fromEntries([...imports].filter(([name]) => name.startsWith('plugin-kit/')));
  expect(found).toEqual({
    'plugin-kit/addresses': ['ipaddr.js', 'node:net'],
    'plugin-kit/command-line': ['node:util'],
    'plugin-kit/commits': [],
    'plugin-kit/deadlines': [],
    'plugin-kit/lru-cache': [],
    'plugin-kit/options': [],
    'plugin-kit/postgres': ['@fastify/error', 'drizzle-orm/entity', 'drizzle-orm/pg-core', 'drizzle-orm/sql'],
    'plugin-kit/postgres-refusals': [],
    'plugin-kit/refusal-errors': ['@fastify/error'],
    'plugin-kit/refusals': [],
    'plugin-kit/routes': [
      '@fastify/ajv-compiler',
      '@fastify/fast-json-stringify-compiler',
      'node:crypto',
      'node:diagnostics_channel',
      'node:util',
    ],
    'plugin-kit/workers': ['node:fs'],
  });
});

test('HSE-1 no client of a browser carries addresses, statements or anything of Node.js', () => {
  const clients = [...imports].filter(([name]) => FOR_BROWSERS.test(name));
  expect(clients.length).toBeGreaterThan(18);
  const foreign = /^(?:node:|drizzle-orm|@?fastify|ipaddr\.js)/;
  expect(clients.filter(([, paths]) => paths.some((path) => foreign.test(path)))).toEqual([]);
});

test('HSE-1 only entries with tables import drizzle-orm', () => {
  const withDrizzle = entriesWith(/^drizzle-orm/);
  expect(withDrizzle.length).toBeGreaterThan(4);
  expect(withDrizzle.filter((name) => !WITH_TABLES.test(name))).toEqual([]);
});

test('HSE-1 addresses are read by plugin-kit alone', () => {
  const reader = /\bipaddr\b|\bisIP(?:v[46])?\b|\bBlockList\b/;
  const readers = sources.filter(
    (path) => /^(?:packages|examples)\/[^/]+\/src\//.test(path) && reader.test(readSource(path)),
  );
  expect(readers).toEqual([
    'packages/plugin-kit/src/addresses/ip-address.ts',
    'packages/plugin-kit/src/addresses/network-key.ts',
  ]);
});
