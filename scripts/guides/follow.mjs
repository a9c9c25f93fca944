// Follows a page as its reader does: in a clone of the repository, or in an empty project.
//
// - The commands of `sh` blocks run in one shell and must succeed. Comment lines right after a command are its expected
//   output; `…` matches anything.
// - A block ```sh server``` is a second terminal: its command goes on, until a later block of the same name. The
//   comment after it is what it must print. ```sh server-2``` is a third terminal.
// - A `ts` or `js` block is saved to the file that its info string names, and type-checked. A later command runs it, or
//   a program that loads its folder.
// - Ports 3000 to 3009 stand for free ones. A page finds no `.data`. DATABASE_URL and REDIS_URL are set where its
//   blocks name them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.mjs';
import { compilerFaults, matchesExpected, shellSteps } from '../readme-blocks.mjs';
import { isCompleteCommand, lastLines, openShell } from '../readme-project.mjs';
import { blocksOf } from './pages.mjs';

/** How long a server may take until it has printed what the page says: the first one builds the repository. */
const MAX_START_MILLIS = 240_000;

const POLL_MILLIS = 100;

const PORTS = /\b300\d\b/g;

const lazyWasm = fileURLToPath(new URL('lazy-wasm.cjs', import.meta.url));

/** They change nothing in a clone in which they have run. */
const ONCE = /^npx --yes pnpm@\S+ (?:install --frozen-lockfile|run build)$/;

/**
 * @typedef {object} Place
 * @property {string} folder
 * @property {ReturnType<typeof import('../readme-services.mjs').createServices>} services
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(path: string) => string} [compile] what the compiler says of a file
 * @property {Set<string>} [done] commands that earlier pages have run in the folder, and that need no second run
 * @property {(text: string) => void} [show] gets everything that is run and printed
 */

/**
 * @param {string} markdown
 * @param {Place} place
 * @returns {Promise<{ faults: { line: number, message: string }[], ran: number }>}
 */
export async function followPage(markdown, place) {
  const { folder, services, compile = () => '', done = new Set(), show = () => {} } = place;
  const { run: blocks } = blocksOf(markdown);
  const ports = await mapPorts(blocks);
  const withPorts = (text) => text.replaceAll(PORTS, (port) => String(ports.get(port)));
  const names = (variable) => blocks.some(({ text }) => text.includes(variable));
  const env = {
    ...(place.env ?? process.env),
    NODE_OPTIONS: `--require=${JSON.stringify(lazyWasm)}`,
    // The pnpm that runs this turns its checks off for scripts. A reader's pnpm installs what is missing.
    pnpm_config_verify_deps_before_run: undefined,
    PORT: withPorts('3000'),
    SERVICE_PORT: withPorts('3000'),
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
    ...(names('DATABASE_URL') ? { DATABASE_URL: await services.createDatabase() } : {}),
    ...(names('REDIS_URL') ? { REDIS_URL: await services.startRedis() } : {}),
  };
  rmSync(join(folder, '.data'), { recursive: true, force: true });
  const shell = openShell(folder, env);
  const servers = new Map();
  const faults = [];
  try {
    for (const block of blocks) {
      if (block.language !== 'sh') saveFile(block);
      else if (block.path === null) await runCommands(shellSteps(block.text, isCompleteCommand), block);
      else await runServer(shellSteps(block.text, isCompleteCommand), block);
    }
  } finally {
    await shell.close();
    for (const server of servers.values()) await server.stop();
  }
  return { faults, ran: blocks.length };

  function saveFile(block) {
    const { path, text, line } = block;
    if (path === null) {
      faults.push({ line, message: 'does not say to which file it is saved' });
      return;
    }
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), withPorts(text));
    if (block.language === 'ts') faults.push(...compilerFaults(compile(path), block));
    const name = path.replace(/\.\w+$/, '');
    const rest = blocks.slice(blocks.indexOf(block) + 1);
    if (!path.includes('/') && !rest.some((later) => later.text.includes(name)))
      faults.push({ line, message: `nothing after it runs ${path}` });
  }

  async function runCommands(steps, block) {
    for (const { command, expected, line } of steps) {
      if (done.has(command)) continue;
      const { code, output, errors } = await shell.run(withTools(withPorts(command)));
      show(`$ ${command}\n${output}${errors}`);
      const fault = (message) => faults.push({ line: block.line + line, message: `${command}\n${message}` });
      if (code !== 0) fault(`failed: ${code}\n${lastLines(output + errors)}`);
      else if (expected !== null && !matchesExpected(output, withPorts(expected)))
        fault(`printed:\n${lastLines(output)}\nexpected:\n${expected}`);
      if (code === 0 && ONCE.test(command)) done.add(command);
      if (typeof code === 'string') throw new Error(`${command}: ${code}`);
    }
  }

  async function runServer(steps, block) {
    await servers.get(block.path)?.stop();
    const { expected } = steps.at(-1);
    const server = startServer(withTools(withPorts(block.text)), { folder, env });
    servers.set(block.path, server);
    const isReady = () => matchesExpected(server.output(), `…${withPorts(expected ?? '')}…`);
    const deadline = Date.now() + MAX_START_MILLIS;
    while (!isReady() && !server.hasEnded() && Date.now() < deadline) await sleep(POLL_MILLIS);
    show(`$ ${block.text}${server.output()}`);
    if (expected === null) faults.push({ line: block.line, message: 'does not say what the server prints' });
    else if (!isReady())
      faults.push({ line: block.line, message: `printed:\n${lastLines(server.output())}\nexpected:\n${expected}` });
  }
}

const ownPnpm = spawnSync('pnpm', ['--version'], { encoding: 'utf8' }).stdout?.trim();

/** The tsx of the repository, and the pnpm that runs this, stand for those that npx looks up each time. */
const withTools = (command) =>
  command
    .replaceAll('npx tsx ', 'tsx ')
    .replaceAll(/npx --yes pnpm@(\S+)/g, (words, version) => (version === ownPnpm ? 'pnpm' : words));

async function mapPorts(blocks) {
  const named = new Set(['3000', ...blocks.flatMap(({ text }) => text.match(PORTS) ?? [])]);
  return new Map(await Promise.all([...named].map(async (port) => [port, await freePort()])));
}

/** A terminal of its own, in which Ctrl-C ends the command. */
function startServer(text, { folder, env }) {
  const child = spawn('bash', ['--noprofile', '--norc', '-c', text], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exit = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    hasEnded,
    output: () => output,
    async stop() {
      if (!hasEnded()) process.kill(-child.pid, 'SIGINT');
      await exit;
    },
  };
}
