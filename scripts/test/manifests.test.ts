import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  changelogFaults,
  manifestFaults,
  publishedPackages,
  readManifest,
  repositoryFiles,
  repositoryUrl,
  ships,
} from '../publishing/manifests.mjs';

const root = new URL('../../', import.meta.url);
const packages = publishedPackages(repositoryFiles());
const workspace = readManifest('package.json');

const readIfThere = (path: string) => {
  const file = new URL(path, root);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

describe('what npm is told', () => {
  test('PUB-1 each manifest that is not private has description, keywords, licence, repository, homepage, bugs, engines and provenance', () => {
    expect(packages.length).toBeGreaterThan(14);
    expect(packages.flatMap(({ folder, manifest }) => manifestFaults(folder, manifest, workspace))).toEqual([]);
  });

  test('PUB-1 each published package has a changelog that begins with its version', () => {
    const faults = packages.flatMap(({ folder, manifest }) =>
      changelogFaults(folder, manifest, readIfThere(`${folder}/CHANGELOG.md`)),
    );
    expect(faults).toEqual([]);
  });

  test('PUB-1 before the first release no changelog tells of a past that no user had', () => {
    const unpublished = packages.filter(({ folder }) => readIfThere(`${folder}/README.md`)?.includes('Not on npm yet'));
    const changelogs = unpublished.map(({ folder }) => readIfThere(`${folder}/CHANGELOG.md`)!);
    expect(changelogs.filter((text) => !/^# \S+\n\n## \S+\n\nThe first release\. [^#]+$/.test(text))).toEqual([]);
    const changesets = readdirSync(new URL('.changeset', root)).filter((name) => name.endsWith('.md'));
    expect(unpublished.length > 0 ? changesets : []).toEqual([]);
  });

  test('PUB-1 every folder of packages is published, examples and benchmarks are not, and changesets leave them alone', () => {
    const folders = readdirSync(new URL('packages', root)).map((name) => `packages/${name}`);
    expect(packages.map(({ folder }) => folder)).toEqual(folders);
    const others = repositoryFiles()
      .filter((path) => path.endsWith('/package.json') && !folders.includes(path.replace('/package.json', '')))
      .map(readManifest);
    expect(
      others.filter(({ private: isPrivate, version }) => isPrivate !== true || (version ?? '0.0.0') !== '0.0.0'),
    ).toEqual([]);
    const changesets = readManifest('.changeset/config.json');
    expect(changesets).toMatchObject({ access: 'public', privatePackages: { version: false, tag: false } });
  });

  test('PUB-1 the address of the repository has the form of those at GitHub', () => {
    expect(repositoryUrl()).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/);
  });
});

describe('the check of manifests', () => {
  const { folder, manifest } = packages[0]!;
  const faultsWith = (change: object) =>
    manifestFaults(folder, { ...manifest, ...change }, workspace).map((fault) => fault.replace(/^.*?: /, ''));

  test.each([
    ['repository', { repository: { ...manifest.repository, directory: 'packages/another' } }],
    ['homepage', { homepage: 'https://example.com' }],
    ['bugs', { bugs: undefined }],
    ['engines', { engines: { node: '>=18' } }],
    ['publishConfig', { publishConfig: { access: 'public' } }],
    ['license', { license: 'ISC' }],
    ['name', { name: '@another/scope' }],
    ['description', { description: 'short' }],
    ['keywords', { keywords: ['one', 'two', 'two', 'three'] }],
    ['sideEffects', { sideEffects: ['./dist/no-such-file.js'] }],
    ['files', { files: ['dist'] }],
    ['exports', { exports: {} }],
    ['version', { version: '0.0.0' }],
    ['peerDependencies', { peerDependencies: { fastify: '>=5.0.0' } }],
    ['dependencies', { dependencies: { ...manifest.dependencies, uuid: '*' } }],
  ])('PUB-1 names a wrong %s, and nothing else', (field, change) => {
    const faults = faultsWith(change);
    expect(faults).not.toEqual([]);
    expect(faults.filter((fault) => !fault.startsWith(field))).toEqual([]);
  });

  test('PUB-1 names a changelog that is missing, of another package or of another version', () => {
    const own = `# ${manifest.name}\n\n## ${manifest.version}\n`;
    expect(changelogFaults(folder, manifest, own)).toEqual([]);
    expect(changelogFaults(folder, manifest, null)).toHaveLength(1);
    expect(changelogFaults(folder, manifest, own.replace(manifest.name, '@sallyport/another'))).toHaveLength(1);
    expect(changelogFaults(folder, manifest, own.replace('## ', '## 9.9.9\n\n## '))).toHaveLength(1);
  });

  test('PUB-1 knows what goes into a tarball', () => {
    const shipped = (path: string) => ships(manifest, path);
    expect(
      ['README.md', 'CHANGELOG.md', 'LICENSE', 'src/index.ts', 'dist/a/b.js'].filter((path) => !shipped(path)),
    ).toEqual([]);
    expect(['test/a.test.ts', 'README.zh.md', 'distant/a.js', 'bench/main.mjs'].filter(shipped)).toEqual([]);
  });
});
