// What a manifest says to npm and its readers. The address of the repository stands in the manifest of the root.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {Record<string, any>} Manifest */

/** npm shows the description in one line of its search results. */
const MAX_DESCRIPTION = 200;

const MIN_KEYWORDS = 4;

/** npm packs these whatever `files` says. */
export const ALWAYS_SHIPPED = /^(?:package\.json|README\.md|LICENSE)$/;

/**
 * @param {string} path
 * @returns {Manifest}
 */
export const readManifest = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The files that git tracks or would track, below the root. */
export function repositoryFiles() {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return list.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** The address of the repository, as a reader opens it. */
export function repositoryUrl() {
  return readManifest('package.json').repository.url.replace(/^git\+|\.git$/g, '');
}

/** @returns {import('./markdown-links.mjs').Repository} */
export function localRepository() {
  const tracked = new Set(repositoryFiles());
  const folders = new Set([...tracked].flatMap((path) => parentsOf(path)));
  return {
    url: repositoryUrl(),
    kindOf: (path) => (tracked.has(path) ? 'file' : folders.has(path) ? 'folder' : null),
    read: (path) => readFileSync(join(root, path), 'utf8'),
  };
}

function parentsOf(path) {
  const parent = posix.dirname(path);
  return parent === '.' ? ['.'] : [parent, ...parentsOf(parent)];
}

/**
 * Every package that is not private, wherever it stands: a new one is checked without being listed.
 * @param {readonly string[]} files
 * @returns {{ folder: string, manifest: Manifest }[]}
 */
export function publishedPackages(files) {
  return files
    .filter((path) => posix.basename(path) === 'package.json')
    .map((path) => ({ folder: posix.dirname(path), manifest: readManifest(path) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Whether a file goes into the tarball, by the `files` of the manifest.
 * @param {Manifest} manifest
 * @param {string} path below the folder of the package
 */
export function ships(manifest, path) {
  const within = (entry) => path === entry || path.startsWith(`${entry}/`);
  return ALWAYS_SHIPPED.test(path) || manifest.files.some((entry) => !entry.startsWith('!') && within(entry));
}

/**
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {Manifest} workspace the manifest of the root
 * @returns {string[]} one line for each fault
 */
export function manifestFaults(folder, manifest, workspace) {
  const url = workspace.repository.url.replace(/^git\+|\.git$/g, '');
  const name = posix.basename(folder);
  const expected = {
    name: `@sallyport/${name}`,
    license: workspace.license,
    homepage: `${url}/tree/main/${folder}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: 'git', url: `git+${url}.git`, directory: folder },
    engines: workspace.engines,
    type: 'module',
    publishConfig: { access: 'public', provenance: true },
  };
  const faults = Object.entries(expected)
    .filter(([key, value]) => JSON.stringify(manifest[key]) !== JSON.stringify(value))
    .map(([key, value]) => `${key} is not ${JSON.stringify(value)}`);
  const { description = '', keywords = [], sideEffects, files = [], exports = {}, version } = manifest;
  if (description.length < 20 || description.length > MAX_DESCRIPTION || description.endsWith('.'))
    faults.push(`description needs 20 to ${MAX_DESCRIPTION} characters, without a full stop`);
  if (keywords.length < MIN_KEYWORDS || new Set(keywords).size < keywords.length)
    faults.push(`keywords needs ${MIN_KEYWORDS} or more, each once`);
  if (sideEffects !== false && !isListOfFiles(folder, sideEffects))
    faults.push('sideEffects is neither false nor a list of files');
  for (const entry of ['CHANGELOG.md', 'dist', 'src', '!**/*.tsbuildinfo'])
    if (!files.includes(entry)) faults.push(`files lacks ${entry}`);
  if (exports['./package.json'] !== './package.json') faults.push('exports lacks ./package.json');
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || version === '0.0.0')
    faults.push(`version ${version} was never meant to be published`);
  for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
    if (dependency.startsWith('@sallyport/') ? range !== 'workspace:^' : range !== 'catalog:')
      faults.push(
        `dependencies: ${dependency} is not ${dependency.startsWith('@sallyport/') ? 'workspace:^' : 'catalog:'}`,
      );
  }
  for (const [peer, range] of Object.entries(manifest.peerDependencies ?? {})) {
    if (!range.split(' || ').every((part) => /^\^\d+\.\d+\.\d+$/.test(part)))
      faults.push(
        `peerDependencies: ${peer} ${range} has no upper bound: name the releases that tests run on, as ^1.2.3`,
      );
  }
  return faults.map((fault) => `${folder}/package.json: ${fault}`);
}

/** `dist` is not there before the build: its file stands for the source. */
function isListOfFiles(folder, list) {
  return (
    Array.isArray(list) &&
    list.every((path) =>
      statSync(join(root, folder, path.replace(/dist\/(.*)\.js$/, 'src/$1.ts')), { throwIfNoEntry: false }),
    )
  );
}

/**
 * Whether the changelog begins with the version of the manifest.
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {string | null} changelog
 * @returns {string[]}
 */
export function changelogFaults(folder, manifest, changelog) {
  if (changelog === null) return [`${folder}: CHANGELOG.md is missing: run changeset version`];
  const [title, version] = [/^# (.*)$/m.exec(changelog)?.[1], /^## (.*)$/m.exec(changelog)?.[1]];
  return [
    ...(title === manifest.name ? [] : [`${folder}/CHANGELOG.md: its title is not ${manifest.name}`]),
    ...(version === manifest.version
      ? []
      : [`${folder}/CHANGELOG.md: begins with ${version} instead of ${manifest.version}`]),
  ];
}
