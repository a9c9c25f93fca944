import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface Manifest {
  packageManager?: string;
  dependencies?: Record<string, string>;
  exports?: Record<string, unknown>;
  files?: string[];
}
const manifest = (path: string) => JSON.parse(read(path)) as Manifest;

const packages = readdirSync(new URL('packages', root));

/** The arrows between the packages: what each may depend on. They run one way. */
const arrows: Record<string, string[]> = {
  'plugin-kit': [],
  masking: ['plugin-kit'],
  'ttl-store': ['plugin-kit'],
  'password-hashing': ['plugin-kit'],
  'one-time-codes': ['plugin-kit', 'ttl-store'],
  'second-factor': ['plugin-kit', 'ttl-store'],
  'client-ip': ['plugin-kit'],
  'auth-tokens': ['plugin-kit', 'ttl-store'],
  'login-policy': ['plugin-kit', 'ttl-store'],
  captcha: ['plugin-kit', 'ttl-store'],
  'envelope-crypto': ['plugin-kit'],
  'replay-guard': ['envelope-crypto', 'plugin-kit', 'ttl-store'],
  'system-parameters': ['plugin-kit'],
  idempotency: ['masking', 'plugin-kit', 'ttl-store'],
  'audit-log': ['masking', 'plugin-kit'],
  'upload-policy': ['plugin-kit'],
};

describe('the repository', () => {
  test('every command of README and CONTRIBUTING names the pnpm of package.json', () => {
    const texts = [read('README.md'), read('CONTRIBUTING.md')].join('\n');
    const named = new Set([...texts.matchAll(/pnpm@[0-9.]+/g)].map(([name]) => name));
    expect([...named]).toEqual([manifest('package.json').packageManager]);
  });

  test.each(packages)('packages/%s depends on no package but those its arrows allow', (name) => {
    const dependencies = Object.keys(manifest(`packages/${name}/package.json`).dependencies ?? {});
    const own = dependencies.filter((dependency) => dependency.startsWith('@sallyport/'));
    expect(own.map((dependency) => dependency.slice('@sallyport/'.length)).sort()).toEqual(arrows[name]);
  });

  test.each(packages)('packages/%s has its licence, and ships sources beside the build', (name) => {
    expect(read(`packages/${name}/LICENSE`)).toBe(read('LICENSE'));
    expect(manifest(`packages/${name}/package.json`).files).toEqual(expect.arrayContaining(['dist', 'src']));
  });

  test('the README lists every package', () => {
    const readme = read('README.md');
    for (const name of packages) expect(readme).toContain(`@sallyport/${name}`);
  });
});
