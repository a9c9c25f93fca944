import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Folders without an input: what commands write, and what is not bundled. */
const NO_INPUTS = new Set(['.build', 'bench', 'dist', 'node_modules', 'test']);

/** Files of the repository that decide about every bundle: the versions of all libraries, and the compiler options. */
const COMMON = ['pnpm-lock.yaml', 'tsconfig.base.json'];

/** Where the packages of the repository are. */
const PARENTS = ['packages', 'examples'];

/**
 * A digest of everything that the console is built from: its own files, the packages of the repository that it uses,
 * directly or not, and the lockfile.
 *
 * @param {string} root the repository
 * @param {string} name of the package to build
 */
export function digestInputs(root, name) {
  const packages = workspacePackages(root);
  const folders = folderNames(packages, name);
  const files = [...COMMON.map((path) => join(root, path)), ...folders.flatMap((folder) => filesIn(folder))];
  const hash = createHash('sha256');
  for (const path of files) {
    const content = readFileSync(path);
    hash.update(`${relative(root, path).replaceAll(sep, '/')}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/**
 * The folder and the manifest of each package, by its name.
 * @param {string} root
 */
function workspacePackages(root) {
  const found = new Map();
  for (const parent of PARENTS) {
    for (const { name } of readdirSync(join(root, parent), { withFileTypes: true })) {
      const folder = join(root, parent, name);
      try {
        const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        found.set(manifest.name, { folder, manifest });
      } catch (error) {
        // A folder that is no package.
        if (!['ENOENT', 'ENOTDIR'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) throw error;
      }
    }
  }
  return found;
}

/**
 * The folders of a package and of those that it uses. Libraries that are bundled are development dependencies of the
 * console; those of other packages are not bundled.
 *
 * @param {ReturnType<typeof workspacePackages>} packages
 * @param {string} first
 */
function folderNames(packages, first) {
  const names = new Set([first]);
  // A set yields what is added while it is walked.
  for (const name of names) {
    const { dependencies = {}, devDependencies = {} } = packages.get(name).manifest;
    const used = Object.keys(name === first ? { ...dependencies, ...devDependencies } : dependencies);
    for (const each of used) if (packages.has(each)) names.add(each);
  }
  return [...names].map((name) => packages.get(name).folder).sort();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NO_INPUTS.has(entry.name) ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
