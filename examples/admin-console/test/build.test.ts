import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestInputs } from '../build/inputs.mjs';
import { publish } from '../build/publish.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-build-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('the digest of the inputs', () => {
  const digest = () => digestInputs(root, 'page');

  beforeEach(() => {
    write('pnpm-lock.yaml', 'lock');
    write('tsconfig.base.json', {});
    write('examples/page/package.json', { name: 'page', devDependencies: { client: '*', react: '*' } });
    write('examples/page/src/main.ts', 'main');
    write('examples/client/package.json', {
      name: 'client',
      dependencies: { crypto: '*' },
      devDependencies: { tool: '*' },
    });
    write('examples/client/src/client.ts', 'client');
    write('packages/crypto/package.json', { name: 'crypto' });
    write('packages/crypto/src/deep/kernel.ts', 'kernel');
    write('packages/tool/package.json', { name: 'tool' });
    write('packages/other/package.json', { name: 'other' });
    write('packages/README.md', 'no package');
  });

  it.each([
    ['pnpm-lock.yaml', 'the lockfile'],
    ['tsconfig.base.json', 'the compiler options'],
    ['examples/page/src/main.ts', 'its source'],
    ['examples/page/index.html', 'a new file'],
    ['examples/page/vite.config.ts', 'its configuration'],
    ['examples/client/src/client.ts', 'a package that it uses'],
    ['packages/crypto/src/deep/kernel.ts', 'a package that this one uses'],
  ])('CON-1 changes with %s: %s', (path) => {
    const before = digest();
    expect(digest()).toBe(before);
    write(path, 'changed');
    expect(digest()).not.toBe(before);
  });

  it.each([
    'examples/page/dist/index.html',
    'examples/page/.build/lock',
    'examples/page/node_modules/react/index.js',
    'examples/page/test/page.test.ts',
    'packages/crypto/dist/index.js',
    'packages/tool/src/tool.ts',
    'packages/other/src/other.ts',
  ])('CON-1 does not change with %s', (path) => {
    const before = digest();
    write(path, 'changed');
    expect(digest()).toBe(before);
  });

  it('CON-1 tells a file that moved, and content that moved from one file to the next', () => {
    write('examples/page/src/a.ts', 'xy');
    write('examples/page/src/b.ts', 'z');
    const before = digest();
    write('examples/page/src/a.ts', 'x');
    write('examples/page/src/b.ts', 'yz');
    expect(digest()).not.toBe(before);
    const moved = digest();
    rmSync(join(root, 'examples/page/src/b.ts'));
    write('examples/page/src/c.ts', 'yz');
    expect(digest()).not.toBe(moved);
  });
});

describe('the folder that servers read', () => {
  const folder = () => join(root, 'dist');
  const read = (path: string) => readFileSync(join(folder(), path), 'utf8');
  const long = (text: string) => text.repeat(1000);

  async function publishBuild(name: string): Promise<void> {
    write('fresh/index.html', `<script src="assets/${name}.js">`);
    write(`fresh/assets/${name}.js`, long(name));
    write('fresh/assets/same.css', long('same'));
    write('fresh/assets/font.woff2', long('font'));
    write('fresh/.vite/manifest.json', name);
    write('fresh/icon.svg', name);
    await publish(join(root, 'fresh'), folder(), `digest of ${name}`);
  }

  it('CON-1 holds the build, compressed where that saves bytes, and the digest of its inputs', async () => {
    await publishBuild('first');
    expect(readdirSync(folder(), { recursive: true }).sort()).toEqual(
      [
        '.inputs',
        '.vite',
        '.vite/manifest.json',
        'assets',
        'assets/first.js',
        'assets/first.js.br',
        'assets/first.js.gz',
        'assets/font.woff2',
        'assets/same.css',
        'assets/same.css.br',
        'assets/same.css.gz',
        'icon.svg',
        'index.html',
      ].map((path) => join(path)),
    );
    expect(brotliDecompressSync(readFileSync(join(folder(), 'assets/first.js.br'))).toString()).toBe(long('first'));
    expect(gunzipSync(readFileSync(join(folder(), 'assets/first.js.gz'))).toString()).toBe(long('first'));
    expect(read('.inputs')).toBe('digest of first');
  });

  it('CON-1 a rebuild replaces what changed and removes what is not named any more', async () => {
    await publishBuild('first');
    await publishBuild('second');
    expect(read('index.html')).toContain('second');
    expect([read('icon.svg'), read('.vite/manifest.json'), read('.inputs')]).toEqual([
      'second',
      'second',
      'digest of second',
    ]);
    expect(readdirSync(join(folder(), 'assets')).sort()).toEqual(
      'font.woff2 same.css same.css.br same.css.gz second.js second.js.br second.js.gz'.split(' '),
    );
  });

  it('CON-1 a build that breaks off before its page leaves the page and all its files', async () => {
    await publishBuild('first');
    // No page: the last step of publishing fails.
    write('fresh/assets/second.js', long('second'));
    mkdirSync(join(root, 'fresh/index.html'));
    await expect(publish(join(root, 'fresh'), folder(), 'digest')).rejects.toThrow();
    expect(read('index.html')).toContain('first');
    expect(existsSync(join(folder(), 'assets/first.js'))).toBe(true);
    expect(read('.inputs')).toBe('digest of first');
  });
});

it('CON-1 the build command leaves a folder alone that holds anything else', () => {
  write('photos/harbour.txt', 'mine');
  const command = fileURLToPath(new URL('../build.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [command, '--to', join(root, 'photos')], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('holds other files') });
  expect(readFileSync(join(root, 'photos/harbour.txt'), 'utf8')).toBe('mine');
});
