import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What an installed package weighs with its dependencies, without its peers.
 * @param {string} project
 * @param {string} name
 */
export function weightOfPackage(project, name) {
  return weigh(project, closureOf(`node_modules/${name}`, lockedPackages(project)));
}

/**
 * What is installed in a project.
 * @param {string} project
 */
export function weightOfProject(project) {
  return weigh(project, Object.keys(lockedPackages(project)));
}

/** @param {string} project @param {Iterable<string>} folders */
function weigh(project, folders) {
  const paths = [...folders];
  const bytes = paths.reduce((sum, path) => sum + bytesOf(join(project, path)), 0);
  return { packages: paths.length, megabytes: bytes / 1_000_000 };
}

/**
 * @typedef {object} Locked
 * @property {string} version
 * @property {object} [dependencies]
 * @property {object} [optionalDependencies]
 * @property {object} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 * @property {Record<string, string>} [bin]
 */

/** @returns {Record<string, Locked>} what is installed in a project, by folder */
export function lockedPackages(project) {
  return JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')).packages;
}

/**
 * The folders of a package and of its dependencies, each looked up as Node.js does.
 * @param {string} folder
 * @param {Record<string, Locked>} locked
 * @param {{ withPeers?: boolean, seen?: Set<string> }} [options] npm installs the peers that are not optional
 */
export function closureOf(folder, locked, { withPeers = false, seen = new Set() } = {}) {
  if (seen.has(folder) || locked[folder] === undefined) return seen;
  seen.add(folder);
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = locked[folder];
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...(withPeers ? peers : [])]) {
    const found = lookUp(folder, name, locked);
    if (found !== null) closureOf(found, locked, { withPeers, seen });
  }
  return seen;
}

function lookUp(from, name, locked) {
  for (let base = from; ; ) {
    const candidate = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (candidate in locked) return candidate;
    if (base === '') return null;
    base = base.includes('/node_modules/') ? base.slice(0, base.lastIndexOf('/node_modules/')) : '';
  }
}

/** The bytes of the files below a folder, without the packages that are installed in it. */
function bytesOf(folder) {
  return readdirSync(folder).reduce((sum, name) => {
    const stats = lstatSync(join(folder, name));
    if (!stats.isDirectory()) return sum + stats.size;
    return name === 'node_modules' ? sum : sum + bytesOf(join(folder, name));
  }, 0);
}
