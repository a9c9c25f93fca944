// `pnpm check:mistakes [--alone] [--project folder] [rooms…]`, for ADP-2 to ADP-7: makes the mistakes that a team makes
// which installs one plugin into a server of its own. Each is refused with a message that says what to do, or works;
// none leaves a protection off. The applications are in scripts/mistakes/*/apps, written as their authors would write
// them; next to them, `cases.mjs` says of each what must happen.
//
// All run in one npm project that is made from the tarballs. `--project` keeps it in a folder, and the next run uses
// it. A few processes run them one after the other, since a process of its own costs a case twenty times as much;
// `--alone` gives it one. The build must be up to date. Prints a Markdown table.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileCases } from './mistakes/compile-cases.mjs';
import { rooms } from './mistakes/index.mjs';
import { createHost, startApplication } from './mistakes/run-application.mjs';
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

/**
 * Runs the cases of a room, a few at a time, in their order. Each has a copy of the applications.
 * @param {string} project
 * @param {typeof rooms[number]} room
 * @param {ReturnType<typeof createHost>[]} hosts
 */
async function runRoom(project, room, hosts) {
  const folder = join(project, room.name);
  rmSync(folder, { recursive: true, force: true });
  const copy = (to) => cpSync(join(root, 'scripts/mistakes', room.name, 'apps'), to, { recursive: true });
  copy(folder);
  const compiled = room.cases.filter(({ kind }) => kind === 'does not compile');
  const outcomes = new Map(compileCases(project, folder, compiled));
  const waiting = room.cases.filter((one) => !outcomes.has(one));
  async function work(host) {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const own = `${room.name}/case-${room.cases.indexOf(one)}`;
      copy(join(project, own));
      const command = `${own}/${one.app}`;
      const isAlone = values.alone || one.alone;
      outcomes.set(one, await runCase(one, () => (isAlone ? startApplication(project, command) : host.start(command))));
    }
  }
  await Promise.all(hosts.map(work));
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

const { values, positionals } = parseArgs({
  options: { alone: { type: 'boolean', default: false }, project: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !rooms.some((room) => room.name === name));
if (unknown.length > 0) throw new Error(`no room of scripts/mistakes: ${unknown.join(', ')}`);
const project = resolve(values.project ?? mkdtempSync(join(tmpdir(), 'sallyport-mistakes-')));
const hosts = Array.from({ length: availableParallelism() }, () => createHost(project));
try {
  if (!existsSync(join(project, 'node_modules'))) await installProject(project, OTHERS);
  const results = [];
  for (const room of rooms) {
    if (positionals.length === 0 || positionals.includes(room.name))
      results.push(...(await runRoom(project, room, hosts)));
  }
  say(tableOf(results));
  const faults = results.filter(({ fault }) => fault !== null);
  for (const { room, one, fault } of faults) say(`\nFAULT ${room}/${one.app}: ${one.mistake}\n${fault}`);
  say(`\n${results.length} mistakes, ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  for (const host of hosts) await host.stop();
  if (values.project === undefined) rmSync(project, { recursive: true, force: true });
}
