// A shelf holds every package that some projects install: npm installs them all, once. A project takes from it what its
// own install line reaches by dependencies and peers, and nothing else, as npm lays it out.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf, lockedPackages } from './install-weight.mjs';
import { packageNames } from './package-tarballs.mjs';

const ours = packageNames.map((name) => `@sallyport/${name}`);

/** @param {string} spec `name` or `name@version` */
const nameOf = (spec) => spec.replace(/(?<=.)@.*$/, '');

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * @param {string} folder is created
 * @param {Map<string, string>} tarballs of all packages
 * @param {Iterable<string>} specs of other packages; those of this repository may be among them
 * @throws {Error} if npm refuses, or says that a peer does not fit
 */
export function stockShelf(folder, tarballs, specs) {
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'package.json'), { private: true, type: 'module' });
  const others = [...new Set(specs)].filter((spec) => !ours.includes(spec));
  // A name that one line pins is that version for all: two would need two shelves.
  const pinned = others.filter((spec) => spec !== nameOf(spec)).map(nameOf);
  if (new Set(pinned).size < pinned.length) throw new Error(`install lines pin two versions of one name: ${others}`);
  const installed = [...others.filter((spec) => !pinned.includes(spec)), ...tarballs.values()];
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=warn'];
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...installed], { cwd: folder, encoding: 'utf8' });
  if (status !== 0 || /ERESOLVE|\bpeer\b/i.test(stderr))
    throw new Error(`npm install ${installed.join(' ')}\n${stderr}`);
}

/**
 * What `npm install` does in a project: keeps what its manifest names already, adds the packages, and removes the rest.
 * @param {string} shelf
 * @param {string} project
 * @param {readonly string[]} specs
 */
export function takeFromShelf(shelf, project, specs) {
  const place = join(project, 'package.json');
  const manifest = existsSync(place) ? readJson(place) : {};
  const stocked = readJson(join(shelf, 'package.json')).dependencies;
  const shelved = lockedPackages(shelf);
  manifest.dependencies ??= {};
  for (const name of specs.map(nameOf)) {
    if (stocked[name] === undefined) throw new Error(`${name} is not on the shelf`);
    manifest.dependencies[name] = `^${shelved[`node_modules/${name}`].version}`;
  }
  const reached = new Set();
  for (const name of Object.keys(manifest.dependencies))
    closureOf(`node_modules/${name}`, shelved, { withPeers: true, seen: reached });
  lay(shelf, project, Object.fromEntries(Object.entries(shelved).filter(([path]) => reached.has(path))));
  writeJson(place, manifest);
  writeJson(join(project, 'package-lock.json'), { lockfileVersion: 3, packages: { '': manifest } });
}

/** A project's files are its own: a page may patch a package. */
function lay(shelf, project, packages) {
  const lock = join(project, 'node_modules/.package-lock.json');
  const before = existsSync(lock) ? readJson(lock).packages : {};
  // The folder of a package holds those that it alone needs.
  const isOuter = (path) => path.lastIndexOf('node_modules/') === 0;
  for (const path of Object.keys(before).filter((each) => !(each in packages)))
    rmSync(join(project, path), { recursive: true, force: true });
  const added = Object.keys(packages).filter((path) => isOuter(path) && !(path in before));
  for (const parent of new Set(added.map(dirname))) {
    mkdirSync(join(project, parent), { recursive: true });
    const sources = added.filter((path) => dirname(path) === parent).map((path) => join(shelf, path));
    const { status, stderr } = spawnSync('cp', ['-a', ...sources, join(project, parent)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  const bin = join(project, 'node_modules/.bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  for (const [path, { bin: programs = {} }] of Object.entries(packages).filter(([each]) => isOuter(each)))
    for (const [name, file] of Object.entries(programs))
      symlinkSync(relative(bin, join(project, path, file)), join(bin, name));
  writeJson(lock, { lockfileVersion: 3, packages });
}

// `node package-shelf.mjs SHELF PACKAGES…`: what a project has for `npm install`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [shelf, ...specs] = process.argv.slice(2);
  if (specs.length === 0 || specs.some((spec) => spec.startsWith('-'))) throw new Error('the shelf takes names alone');
  takeFromShelf(shelf, process.cwd(), specs);
}
