// What each package brings into an installation, as a bill of materials (CycloneDX 1.7), and under which licences.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { readManifest, repositoryFiles } from './manifests.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Licences that ask of a user no more than to keep their text. */
const ALLOWED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PostgreSQL',
  'Unlicense',
];

/** Names of packages that may have another licence, and why. */
const EXCEPTIONS = [
  [/^(?:lightningcss|axe-core)(?:-|$)/, 'MPL-2.0', 'build and test the console, and are not in what it ships'],
  [/^argparse$/, 'Python-2.0', 'reads the configuration of tools'],
];

/**
 * @typedef {object} Component
 * @property {string} name
 * @property {string} version
 * @property {string} [group]
 * @property {({ license?: { id?: string, name?: string }, expression?: string })[]} [licenses]
 *
 * @typedef {object} Bill
 * @property {{ component: Component }} metadata
 * @property {Component[]} components
 */

/** @param {string} file */
const isBill = (file) => file.endsWith('.cdx.json');

/**
 * @param {string} folder for the files
 * @param {readonly string[]} selection what `pnpm sbom` takes
 * @returns {{ file: string, text: string }[]} one for each package
 */
function writeBillsOf(folder, selection) {
  const { packageManager } = readManifest('package.json');
  mkdirSync(folder, { recursive: true });
  const out = ['--split', '--out', join(folder, '%s-%v.cdx.json')];
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.7'];
  execFileSync('npx', ['--yes', packageManager, 'sbom', ...format, ...selection, ...out], {
    cwd: root,
    stdio: 'ignore',
  });
  return readdirSync(folder)
    .filter(isBill)
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

/**
 * What every published package and the reference server install.
 * @param {string} folder
 */
function writeBills(folder) {
  writeBillsOf(folder, ['--prod', '--filter', './packages/*']);
  return writeBillsOf(folder, ['--prod', '--sbom-type', 'application', '--filter', './examples/reference-server']);
}

/**
 * What the console is built from and with. It is served as files: nothing of this is installed.
 * @param {string} folder
 */
const writeConsoleBill = (folder) => writeBillsOf(folder, ['--filter', './examples/admin-console']);

/** It compiles the schema once, which takes most of the time of a validation. */
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot7);

/**
 * @param {string} text of a bill
 * @returns {Promise<string[]>}
 */
export async function schemaFaults(text) {
  const fault = await validator.validate(text);
  return fault === null ? [] : [`breaks the schema of CycloneDX 1.7: ${JSON.stringify(fault)}`];
}

const nameOf = ({ group, name }) => (group === undefined ? name : `${group}/${name}`);

/**
 * Dependencies of the manifest that the bill does not name.
 * @param {Bill} bill
 * @param {Record<string, any>} manifest
 */
export function missingComponents(bill, manifest) {
  const listed = new Set(bill.components.map(nameOf));
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => !listed.has(name))
    .map((name) => `does not list ${name}`);
}

/** @param {string} expression of SPDX, without exceptions such as `WITH` */
function isAllowed(expression) {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  const alternatives = () => {
    let result = together();
    while (tokens[0] === 'OR') {
      tokens.shift();
      const next = together();
      result ||= next;
    }
    return result;
  };
  const together = () => {
    let result = single();
    while (tokens[0] === 'AND') {
      tokens.shift();
      const next = single();
      result &&= next;
    }
    return result;
  };
  const single = () => {
    const token = tokens.shift();
    if (token === undefined) tokens.push('a licence is missing');
    if (token !== '(') return ALLOWED_LICENCES.includes(token ?? '');
    const result = alternatives();
    return tokens.shift() === ')' && result;
  };
  const result = alternatives();
  return result && tokens.length === 0;
}

/**
 * Components under a licence that is neither allowed nor excepted, or under none that is known.
 * @param {Bill} bill
 */
export function licenceFaults(bill) {
  return bill.components.flatMap((component) => {
    const name = nameOf(component);
    const found = (component.licenses ?? []).map(
      ({ license, expression }) => expression ?? license?.id ?? license?.name,
    );
    const isExcepted = (licence) => EXCEPTIONS.some(([names, excepted]) => names.test(name) && licence === excepted);
    if (found.length === 0) return [`${name}@${component.version} has no licence`];
    return found
      .filter((licence) => licence === undefined || !(isAllowed(licence) || isExcepted(licence)))
      .map((licence) => `${name}@${component.version} has the licence ${licence}`);
  });
}

/**
 * @param {{ file: string, text: string }} written
 * @param {readonly Record<string, any>[]} manifests of the repository
 * @returns {Promise<string[]>} one line for each fault
 */
async function billFaults({ file, text }, manifests) {
  const bill = JSON.parse(text);
  const about = nameOf(bill.metadata.component);
  const manifest = manifests.find(({ name }) => name === about);
  const faults = [
    ...(await schemaFaults(text)),
    ...licenceFaults(bill),
    ...(manifest === undefined ? [`is about ${about}, which is not here`] : missingComponents(bill, manifest)),
  ];
  return faults.map((fault) => `${file}: ${fault}`);
}

/**
 * Writes the bills, and checks them and that of the console.
 * @param {string} folder its files of earlier runs are deleted
 * @returns {Promise<{ count: number, faults: string[] }>} one line for each fault
 */
export async function checkBills(folder) {
  const manifests = repositoryFiles()
    .filter((path) => posix.basename(path) === 'package.json')
    .map(readManifest);
  const consoleFolder = mkdtempSync(join(tmpdir(), 'sallyport-console-'));
  try {
    removeBills(folder);
    const bills = writeBills(folder);
    const all = [...bills, ...writeConsoleBill(consoleFolder)];
    const faults = await Promise.all(all.map((bill) => billFaults(bill, manifests)));
    return { count: bills.length, faults: faults.flat() };
  } finally {
    rmSync(consoleFolder, { recursive: true, force: true });
  }
}

function removeBills(folder) {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder).filter(isBill)) rmSync(join(folder, file));
}
