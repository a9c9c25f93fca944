import { describe, expect, test } from 'vitest';
import { contentFaults } from '../publishing/tarball-contents.mjs';

const manifest = {
  name: '@sallyport/a',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
  dependencies: { b: '^1.0.0' },
};
const whole = {
  'package.json': JSON.stringify(manifest),
  'README.md': '',
  LICENSE: '',
  'CHANGELOG.md': '',
  'dist/index.js': 'export {};\n//# sourceMappingURL=index.js.map',
  'dist/index.js.map': JSON.stringify({ sources: ['../src/index.ts'] }),
  'dist/index.d.ts': 'export {};\n',
  'src/index.ts': '',
};
const facts = { bytes: 1000, checkout: '/somewhere/of/mine/' };

/** The faults of a whole tarball with other files. A file of null is left out. */
function faultsWith(change: Record<string, string | null>, others: { name?: string; bytes?: number } = {}) {
  const { name = '@sallyport/a', ...changed } = others;
  const files = Object.entries({ ...whole, ...change }).filter((entry): entry is [string, string] => entry[1] !== null);
  return contentFaults(name, new Map(files), { ...facts, ...changed });
}
const withManifest = (change: object) => faultsWith({ 'package.json': JSON.stringify({ ...manifest, ...change }) });

/** In two parts, so that this file holds no secret itself. */
const token = ['npm', 'a'.repeat(36)].join('_');
const pem = ['-----BEGIN PRIVATE', `KEY-----\n${'A'.repeat(64)}`].join(' ');

describe('the contents of tarballs', () => {
  test('PUB-1 build, sources, manifest, README, licence and changelog pass', () => {
    expect(faultsWith({})).toEqual([]);
  });

  test.each(['README.md', 'LICENSE', 'CHANGELOG.md', 'src/index.ts', 'dist/index.js', 'dist/index.d.ts'])(
    'PUB-1 names %s if it is missing',
    (path) => {
      expect(faultsWith({ [path]: null })).toContain(`@sallyport/a: lacks ${path}`);
    },
  );

  test.each([
    'test/a.test.ts',
    'src/a.test.ts',
    'dist/test/a.js',
    'bench/main.mjs',
    '.env',
    'src/.npmrc',
    'dist/.tsbuildinfo',
    'key.pem',
    'notes.md',
    'vectors/a.json',
  ])('PUB-1 names %s, which has no reason to be there', (path) => {
    expect(faultsWith({ [path]: '' })).toEqual([`@sallyport/a: holds ${path}, for which there is no reason`]);
  });

  test('PUB-1 a file that one package needs is refused in another', () => {
    const vectors = { 'vectors/a.json': '{}' };
    expect(faultsWith(vectors, { name: '@sallyport/envelope-crypto' })).toEqual([]);
    expect(faultsWith(vectors)).toHaveLength(1);
  });

  test('PUB-1 names a map without its source, and an output without its map', () => {
    expect(faultsWith({ 'dist/index.js.map': JSON.stringify({ sources: ['../src/gone.ts'] }) })).toEqual([
      expect.stringContaining('maps to src/gone.ts'),
    ]);
    expect(faultsWith({ 'dist/index.js.map': null })).toEqual([expect.stringContaining('names the map index.js.map')]);
  });

  test('PUB-1 names what the manifest promises and the tarball lacks, ranges of the workspace, and scripts that run at users', () => {
    expect(withManifest({ exports: { ...manifest.exports, './x': './dist/x.js' } })).toHaveLength(1);
    expect(withManifest({ exports: { ...manifest.exports, './v/*.json': './vectors/*.json' } })).toHaveLength(1);
    expect(withManifest({ bin: { x: './dist/cli.js' } })).toHaveLength(1);
    expect(withManifest({ dependencies: { b: 'workspace:^' } })).toHaveLength(1);
    expect(withManifest({ peerDependencies: { b: 'catalog:' } })).toHaveLength(1);
    expect(withManifest({ scripts: { postinstall: 'node x.js' } })).toHaveLength(1);
    expect(withManifest({ scripts: { bench: 'node x.js' } })).toEqual([]);
  });

  test('PUB-1 names secrets, the folder of the checkout, and a tarball that is too large', () => {
    for (const text of [token, pem, `cd ${facts.checkout}packages`]) {
      expect(faultsWith({ 'src/index.ts': text })).toHaveLength(1);
    }
    expect(faultsWith({}, { bytes: 10_000_000 })).toHaveLength(1);
  });
});
