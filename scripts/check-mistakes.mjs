// `pnpm check:mistakes [--project folder] [rooms…]`, for ADP-2 to ADP-7: makes the mistakes that a team makes which
// installs one plugin into a server of its own. Each is refused with a message that says what to do, or works; none
// leaves a protection off. The applications are in scripts/mistakes/*/apps, written as their authors would write them;
// next to them, `cases.mjs` says of each what must happen.
//
// All run in one npm project that is made from the tarballs. `--project` keeps it in a folder, and the next run uses
// it. The build must be up to date. Prints a Markdown table.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileCases } from './mistakes/compile-cases.mjs';
import { rooms } from './mistakes/index.mjs';
import { runCase } from './mistakes/run-case.mjs';
import { installProject } from './package-tarballs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => process.stdout.write(`${text}\n`);

/** What the applications have in addition to the packages of this repository. Aliases are older versions. */
const OTHERS = [
  ...['fastify@5', 'fastify-plugin', 'fastify-4@npm:fastify@4', 'fastify-plugin-4@npm:fastify-plugin@4'],
  ...[
    '@fastify/autoload',
    '@fastify/cors',
    '@fastify/helmet',
    '@fastify/http-proxy',
    '@fastify/jwt',
    '@fastify/multipart',
  ],
  ...['@fastify/rate-limit', '@fastify/static', '@fastify/swagger', '@fastify/swagger-ui'],
  ...['@simplewebauthn/server', 'axios', 'http-errors', 'ioredis', '@types/node@20'],
];

/** Runs the cases of a room, a few at a time, in their order. */
async function runRoom(project, room) {
  const folder = join(project, room.name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'scripts/mistakes', room.name, 'apps'), folder, { recursive: true });
  const compiled = room.cases.filter(({ kind }) => kind === 'does not compile');
  const outcomes = new Map(compileCases(project, folder, compiled));
  const waiting = room.cases.filter((one) => !outcomes.has(one));
  async function work() {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      outcomes.set(one, await runCase(project, one, `${room.name}/${one.app}`));
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return room.cases.map((one) => ({ room: room.name, one, ...outcomes.get(one) }));
}

function tableOf(results) {
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    '| package | mistake | what happens |',
    '| --- | --- | --- |',
    ...results.map(({ room, one, happens }) => `| ${room} | ${cell(one.mistake)} | ${cell(happens)} |`),
  ].join('\n');
}

const { values, positionals } = parseArgs({ options: { project: { type: 'string' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !rooms.some((room) => room.name === name));
if (unknown.length > 0) throw new Error(`no room of scripts/mistakes: ${unknown.join(', ')}`);
const project = resolve(values.project ?? mkdtempSync(join(tmpdir(), 'sallyport-mistakes-')));
try {
  if (!existsSync(join(project, 'node_modules'))) await installProject(project, OTHERS);
  const results = [];
  for (const room of rooms) {
    if (positionals.length === 0 || positionals.includes(room.name)) results.push(...(await runRoom(project, room)));
  }
  say(tableOf(results));
  const faults = results.filter(({ fault }) => fault !== null);
  for (const { room, one, fault } of faults) say(`\nFAULT ${room}/${one.app}: ${one.mistake}\n${fault}`);
  say(`\n${results.length} mistakes, ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (values.project === undefined) rmSync(project, { recursive: true, force: true });
}
