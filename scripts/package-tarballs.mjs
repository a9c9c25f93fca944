import { execFile, execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

export const packageNames = readdirSync(join(root, 'packages'));

/** What the compiler writes for one source file. */
const OUTPUT = /(?:\.d\.ts|\.js)(?:\.map)?$/;

/**
 * Removes outputs whose source is gone. The compiler leaves them in `dist`, and they would be packed, although a
 * release, which builds from nothing, would not have them.
 * @param {string} folder of a package
 * @returns {string[]} the paths that were removed, below `dist`
 */
export function removeStaleOutputs(folder) {
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) return [];
  const outputs = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => OUTPUT.test(path));
  const stale = outputs.filter((path) => {
    const source = join(folder, 'src', path.replace(OUTPUT, ''));
    return !existsSync(`${source}.ts`) && !existsSync(`${source}.js`);
  });
  for (const path of stale) rmSync(join(dist, path));
  return stale;
}

/**
 * Packs every package as it would be published. The build must be up to date.
 * npm's client packs nothing of `catalog:` and `workspace:`; pnpm replaces both, as it does on publishing.
 * @param {string} folder for the tarballs
 * @returns {Map<string, string>} the tarball of each folder of `packages`
 */
export function packPackages(folder) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of packageNames) removeStaleOutputs(join(root, 'packages', name));
  const select = ['--recursive', ...packageNames.flatMap((name) => ['--filter', `./packages/${name}`])];
  execFileSync('npx', ['--yes', packageManager, ...select, 'pack', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Map(
    packageNames.map((name) => {
      const { version } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
      return [name, join(folder, `sallyport-${name}-${version}.tgz`)];
    }),
  );
}

/**
 * A registry that serves the tarballs, so that a project installs them by their names as a user does. The packages of
 * others come from the registry that npm is configured for.
 * @param {Iterable<string>} tarballs
 * @returns {Promise<{ npmrc: string, close: () => void }>} `npmrc`: the content of a project's `.npmrc`
 */
export async function servePackages(tarballs) {
  // npm's cache outlives this registry: another run on the same port must not find what this one served.
  const path = `/${randomUUID()}/`;
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  /** @type {Map<string, { name: string, version: string }>} */
  const manifests = new Map();
  for (const tarball of tarballs) {
    const manifest = JSON.parse(execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' }));
    files.set(basename(tarball), readFileSync(tarball));
    manifests.set(manifest.name, { ...manifest, file: basename(tarball) });
  }
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(path.length);
    const base = `http://127.0.0.1:${server.address().port}${path}`;
    const manifest = manifests.get(asked);
    const file = files.get(asked.replace(/^-\//, ''));
    response.setHeader('cache-control', 'no-store');
    if (manifest !== undefined) response.end(JSON.stringify(packument(manifest, files.get(manifest.file), base)));
    else if (file !== undefined) response.end(file);
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    npmrc: `@sallyport:registry=http://127.0.0.1:${server.address().port}${path}\n`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function packument({ file, ...manifest }, content, base) {
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const dist = { tarball: `${base}-/${file}`, integrity, shasum: createHash('sha1').update(content).digest('hex') };
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
  };
}

/**
 * Makes a project as a team has it: the packages by their names, from a registry that serves the tarballs.
 * @param {string} folder
 * @param {readonly string[]} others what it has in addition to the packages of this repository
 */
export async function installProject(folder, others) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const packed = mkdtempSync(join(tmpdir(), 'sallyport-tarballs-'));
  const registry = await servePackages(packPackages(packed).values());
  try {
    writeFileSync(join(folder, '.npmrc'), registry.npmrc);
    const ours = packageNames.map((name) => `@sallyport/${name}`);
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', ...options, ...ours, ...others], { cwd: folder });
  } finally {
    registry.close();
    rmSync(packed, { recursive: true, force: true });
  }
}
