// `pnpm check:neighbours [--quick] [--write] [--project folder] [neighbours…]`, for ADP-12: tries the packages, which
// are installed from their tarballs into an npm project, with what people combine with them. A cell says 'holds' or
// 'refuses with CODE'. It is silent, and a fault, where a protection is off and nobody is told, and where the package
// dies.
//
// The cells are compared with the table of docs/guides/neighbours.md; `--write` writes those that were tried.
// `--quick` tries what needs no service. The build must be up to date.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { INSTALLED, NEIGHBOURS } from './neighbours/cells.mjs';
import { startPooledDatabases } from './neighbours/pooled-databases.mjs';
import { isOutcome, keyOf, PAGE, readTable, tableOf, withTable } from './neighbours/table.mjs';
import { prepareProject, tryCells } from './neighbours/try-cells.mjs';
import { installProject } from './package-tarballs.mjs';
import { findProgram } from './test-needs.ts';

const page = fileURLToPath(new URL(`../${PAGE}`, import.meta.url));
const say = (text) => process.stdout.write(`${text}\n`);

const { values: options, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    project: { type: 'string' },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !NEIGHBOURS.some((neighbour) => neighbour.name === name));
if (unknown.length > 0) throw new Error(`no neighbour of scripts/neighbours/cells.mjs: ${unknown.join(', ')}`);

const chosen = NEIGHBOURS.filter(
  ({ name, isQuick }) => (positionals.length === 0 || positionals.includes(name)) && (!options.quick || isQuick),
);
const hasPooler = findProgram('pgbouncer') !== null;
const neighbours = chosen.filter(({ kind }) => kind !== 'pooler' || hasPooler);
if (neighbours.length < chosen.length) say('pgbouncer is not installed: its cells are left out');

/** What was not tried stays as it is. */
function write(cellOf) {
  const before = readFileSync(page, 'utf8');
  const cells = readTable(before);
  const table = tableOf(NEIGHBOURS, (title, name) => cellOf(title, name) ?? cells.get(keyOf(title, name)));
  writeFileSync(page, withTable(before, table));
}

const outcomes = new Map();
const faults = [];
const project = resolve(options.project ?? mkdtempSync(join(tmpdir(), 'sallyport-neighbours-')));
let databases = null;
try {
  if (!existsSync(join(project, 'node_modules'))) await installProject(project, INSTALLED);
  prepareProject(project);
  if (neighbours.some(({ kind }) => kind === 'pooler')) databases = await startPooledDatabases();
  for (const neighbour of neighbours) {
    const results = await tryCells(project, neighbour, databases?.create ?? null);
    for (const name of neighbour.packages) {
      const found = results.find((result) => result.package === name) ?? results.find(({ package: of }) => of === null);
      const { outcome = null, detail } = found ?? {};
      const key = keyOf(neighbour.title, name);
      if (isOutcome(outcome)) outcomes.set(key, outcome);
      else faults.push(`SILENT ${key}:\n${detail}`);
    }
    const cellOf = (title, name) => outcomes.get(keyOf(title, name));
    say(tableOf([neighbour], cellOf).split('\n').slice(2).join('\n'));
    if (options.write) write(cellOf);
  }
} finally {
  await databases?.stop();
  if (options.project === undefined) rmSync(project, { recursive: true, force: true });
}

const published = readTable(readFileSync(page, 'utf8'));
for (const [key, outcome] of outcomes) {
  const says = published.get(key);
  if (says !== outcome) faults.push(`${PAGE}: the cell ${key} is '${says ?? 'missing'}', and must be '${outcome}'`);
}
if (faults.length > 0) say(`\n${faults.join('\n\n')}`);
say(`\n${outcomes.size} cells, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
