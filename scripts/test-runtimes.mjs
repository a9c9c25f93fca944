// `pnpm test:runtimes [--write] [runtimes…]`, for ADP-9: every entry of every package is loaded by import and by
// require(), and its plugin serves, on Node 20.19 to 26, Bun and Deno, from tarballs in an empty npm project. The
// runtimes come from the npm registry by `npx`. `node` among the given names is the Node that runs this.
//
// The result is compared with the table of the README: another cell, a missing one and one that fails are faults.
// `--write` writes the table first. The build must be up to date.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { packageNames, packPackages, servePackages } from './package-tarballs.mjs';
import { cellOf, RUNTIMES, readTable, tableOf, WAYS, withTable } from './runtime-table.mjs';

/** How long all packages may take by one way, in milliseconds. */
const MAX_PLAY_MILLIS = 300_000;

/** What the entries of the packages import in addition to fastify: the peers that an application chooses. */
const PEERS = [
  '@electric-sql/pglite',
  '@simplewebauthn/server',
  'axios',
  'drizzle-orm',
  'fastify',
  'ioredis',
  'postgres',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const readmePath = join(root, 'README.md');
const say = (text) => process.stdout.write(`${text}\n`);
const runFile = promisify(execFile);

/** How each runtime says where it is, and runs a file. */
const KINDS = {
  // The embedded database is WebAssembly, which takes less time to start than to optimise.
  node: { locate: ['-p', 'process.execPath'], run: ['--liftoff-only'] },
  bun: { locate: ['-e', 'console.log(process.execPath)'], run: ['run'] },
  deno: { locate: ['eval', 'console.log(Deno.execPath())'], run: ['run', '--allow-all', '--no-prompt'] },
};

function runtimesOf(names) {
  if (names.length === 0) return RUNTIMES;
  return names.map((name) => {
    if (name === 'node') return { name, title: `Node ${process.versions.node.split('.')[0]}` };
    const found = RUNTIMES.find((runtime) => runtime.name === name || runtime.name.split('@')[0] === name);
    if (found === undefined) throw new Error(`${name} is none of ${RUNTIMES.map((each) => each.name).join(', ')}`);
    return found;
  });
}

/** The program of a runtime, and the arguments that come before a file. */
function locate({ name }) {
  const { locate, run } = KINDS[name.split('@')[0]];
  if (name === 'node') return { program: process.execPath, run };
  const program = execFileSync('npx', ['--yes', name, ...locate], { cwd: tmpdir(), encoding: 'utf8' }).trim();
  const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0];
  say(`${name}: ${version}`);
  return { program, run };
}

/** The specifiers of a package's entries. */
function entriesOf(name) {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => `@sallyport/${name}${path.slice(1)}`);
}

/**
 * Plays packages one after the other in one process. Where that fails, each that did not work gets one of its own.
 * @returns {Promise<Map<string, string>>} what failed, by package
 */
async function play(runtime, way, names, folder) {
  const { worked, failure } = await playTogether(runtime, way, names, folder);
  if (failure === null) return new Map();
  if (names.length === 1) return new Map([[names[0], failure]]);
  const failures = new Map();
  const rest = names.filter((name) => !worked.includes(name));
  for (const name of rest.length === 0 ? names : rest) {
    for (const failed of await play(runtime, way, [name], folder)) failures.set(...failed);
  }
  return failures;
}

async function playTogether({ program, run }, way, names, folder) {
  const file = way === 'import' ? 'by-import.mjs' : 'by-require.cjs';
  try {
    const packages = JSON.stringify(names.map((name) => [name, ...entriesOf(name)]));
    const { stdout, stderr } = await runFile(program, [...run, file, packages], {
      cwd: folder,
      timeout: MAX_PLAY_MILLIS,
      env: { ...process.env, NODE_OPTIONS: '', DENO_NO_UPDATE_CHECK: '1' },
    });
    const worked = workedIn(stdout);
    return { worked, failure: worked.length === names.length ? null : `it ended early\n${stdout}${stderr}` };
  } catch (error) {
    const { stdout = '', stderr = '' } = error;
    return { worked: workedIn(stdout), failure: `${stdout}${stderr}`.trim() || String(error) };
  }
}

const workedIn = (output) => packageNames.filter((name) => output.includes(`${name} works\n`));

async function installedProject(work) {
  const folder = join(work, 'project');
  const tarballs = join(work, 'tarballs');
  for (const each of [folder, tarballs]) mkdirSync(each);
  const registry = await servePackages(packPackages(tarballs).values());
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    writeFileSync(join(folder, '.npmrc'), registry.npmrc);
    cpSync(join(root, 'scripts/runtimes'), folder, { recursive: true });
    const names = packageNames.map((name) => `@sallyport/${name}`);
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await runFile('npm', ['install', ...flags, ...PEERS, ...names], { cwd: folder });
  } finally {
    registry.close();
  }
  return folder;
}

const { values: options, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const runtimes = runtimesOf(positionals);
const work = mkdtempSync(join(tmpdir(), 'sallyport-runtimes-'));
const faults = [];
const results = new Map();
try {
  const folder = await installedProject(work);
  for (const runtime of runtimes) {
    const found = locate(runtime);
    await Promise.all(
      WAYS.map(async (way) => {
        const failures = await play(found, way, packageNames, folder);
        for (const name of packageNames) {
          const key = `${name} ${runtime.title}`;
          results.set(key, { ...results.get(key), [way]: !failures.has(name) });
          if (failures.has(name)) faults.push(`${name} by ${way} on ${runtime.title}:\n${failures.get(name)}`);
        }
      }),
    );
    say(`${runtime.title}: done`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

const titles = runtimes.map(({ title }) => title);
const cell = (name, title) => cellOf(results.get(`${name} ${title}`));
const table = tableOf(packageNames, titles, cell);
say(`\n${table}`);
if (options.write) {
  if (positionals.length > 0) throw new Error('--write needs every runtime');
  writeFileSync(readmePath, withTable(readFileSync(readmePath, 'utf8'), table));
}
const published = readTable(readFileSync(readmePath, 'utf8'));
for (const name of packageNames) {
  for (const title of titles) {
    const [is, says] = [cell(name, title), published.cell(name, title)];
    if (is !== says)
      faults.push(`README.md: the cell of ${name} and ${title} is ${says ?? 'missing'}, and must be ${is}`);
  }
}
if (faults.length > 0) say(`\n${faults.join('\n\n')}\n\n${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
