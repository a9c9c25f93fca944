// What a tarball may hold: the build, the sources that it maps to, what the manifest points at, and three texts.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { ALWAYS_SHIPPED } from './manifests.mjs';

/** Files in addition to build and sources, and why a user needs them. */
const EXTRA_FILES = {
  '@sallyport/envelope-crypto': [
    // The sources of the WebAssembly module, which the build embeds.
    /^kernel\/(?:README\.md|build\.mjs|(?:assembly|generate)\/[\w/-]+\.(?:ts|mjs))$/,
    // Test vectors, which `exports` offers to authors of clients.
    /^vectors\/(?:README\.md|[\w-]+\.json)$/,
  ],
  // The README says how an application applies it.
  '@sallyport/idempotency': [/^patches\/postgres@[\d.]+\.patch$/],
  // The licence of the list that the build embeds.
  '@sallyport/password-hashing': [/^common-passwords\/LICENSE$/],
};

const BUILD = /^dist\/[\w./-]+\.(?:js|d\.ts)(?:\.map)?$/;
const SOURCE = /^src\/[\w./-]+\.(?:ts|js)$/;

/** Names that never belong to a build or its sources. */
const UNWANTED =
  /(?:^|\/)(?:test|tests|bench|__\w+__|\.[^/]*)(?:\/|$)|\.(?:test|spec)\.|\.(?:pem|key|p12|pfx|tsbuildinfo|log|tgz)$/;

const SECRETS = [
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/]{16}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bgh[oprsu]_[A-Za-z0-9]{36}\b/,
  /\bgithub_pat_\w{22,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
];

/** A tarball that is larger holds something by mistake. The largest has 395 kB. */
const MAX_TARBALL_BYTES = 600_000;

/** Scripts that npm runs by itself in the application of a user. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/**
 * @param {string} tarball
 * @param {string} folder is created
 * @returns {Map<string, string>} the text of each file by its path in the package
 */
export function readTarball(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  const top = join(folder, 'package');
  const entries = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(top.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

/** Every path that `exports`, `imports` and `bin` name. */
function targetsOf(value) {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  return Object.values(value ?? {}).flatMap(targetsOf);
}

function shapeFaults(name, files) {
  const paths = [...files.keys()];
  const allowed = [ALWAYS_SHIPPED, /^CHANGELOG\.md$/, BUILD, SOURCE, ...(EXTRA_FILES[name] ?? [])];
  const required = [
    'package.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    // A package may have named entries alone.
    ...(JSON.parse(files.get('package.json') ?? '{}').exports?.['.'] === undefined
      ? []
      : ['dist/index.js', 'dist/index.d.ts', 'src/index.ts']),
  ];
  return [
    ...required.filter((path) => !paths.includes(path)).map((path) => `lacks ${path}`),
    ...paths
      .filter((path) => UNWANTED.test(path) || !allowed.some((pattern) => pattern.test(path)))
      .map((path) => `holds ${path}, for which there is no reason`),
  ];
}

/** Maps without a source, builds without a map, and outputs that name a map which is not there. */
function mapFaults(files) {
  return [...files].flatMap(([path, text]) => {
    if (!path.startsWith('dist/')) return [];
    const resolve = (target) => posix.normalize(posix.join(posix.dirname(path), target));
    if (path.endsWith('.map')) {
      const missing = JSON.parse(text)
        .sources.map(resolve)
        .filter((source) => !files.has(source));
      return missing.map((source) => `${path} maps to ${source}, which is not in the tarball`);
    }
    const map = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1];
    return map === undefined || files.has(resolve(map))
      ? []
      : [`${path} names the map ${map}, which is not in the tarball`];
  });
}

function manifestFaults(files) {
  const manifest = JSON.parse(files.get('package.json') ?? '{}');
  const ranges = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, range]) => `${name} ${range}`),
  );
  const matches = (target) => {
    const [start = '', end = ''] = target.split('*');
    return target.includes('*')
      ? [...files.keys()].some((path) => path.startsWith(start) && path.endsWith(end))
      : files.has(target);
  };
  return [
    ...ranges.filter((range) => / (?:workspace|catalog|link|file):/.test(range)).map((range) => `depends on ${range}`),
    ...[manifest.exports, manifest.imports, manifest.bin]
      .flatMap(targetsOf)
      .filter((target) => !matches(target))
      .map((target) => `package.json names ${target}, which is not in the tarball`),
    ...INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script] !== undefined).map(
      (script) => `runs ${script} at its users`,
    ),
  ];
}

/**
 * @param {string} name of the package
 * @param {Map<string, string>} files
 * @param {{ bytes: number, checkout: string }} facts the size of the tarball, and the folder that it was built in
 * @returns {string[]} one line for each fault
 */
export function contentFaults(name, files, { bytes, checkout }) {
  const faults = [...shapeFaults(name, files), ...mapFaults(files), ...manifestFaults(files)];
  for (const [path, text] of files) {
    if (SECRETS.some((secret) => secret.test(text))) faults.push(`${path} holds what looks like a secret`);
    if (text.includes(checkout)) faults.push(`${path} names the folder of this checkout`);
  }
  if (bytes > MAX_TARBALL_BYTES) faults.push(`has ${bytes} bytes; the largest may have ${MAX_TARBALL_BYTES}`);
  return faults.map((fault) => `${name}: ${fault}`);
}

/**
 * What `npm publish` would send, without the registry.
 * @param {string} tarball
 * @returns {Promise<{ name: string, version: string, files: string[] }>}
 */
export async function dryRun(tarball) {
  const args = ['publish', '--dry-run', '--offline', '--json', '--loglevel=error', tarball];
  const { stdout } = await promisify(execFile)('npm', args);
  const answer = JSON.parse(stdout);
  const { name, version, files } = answer.name === undefined ? Object.values(answer)[0] : answer;
  return { name, version, files: files.map(({ path }) => path) };
}
