// An empty project in which the blocks of a README run as a reader runs them: programs, and the commands of one shell.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

/** How long a program may take to end or to listen, in milliseconds: embedded databases may start slowly. */
const MAX_START_MILLIS = 180_000;

/** How long a command of a shell block may take, in milliseconds: an `npm install` is one. */
const MAX_COMMAND_MILLIS = 300_000;

/** How many lines of a failed program's output are shown. */
const MAX_SHOWN_LINES = 20;

const POLL_MILLIS = 50;

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const tsx = join(root, 'node_modules/tsx/dist');
const shelfProgram = fileURLToPath(new URL('package-shelf.mjs', import.meta.url));

/** What `npx tsx` gives Node.js. @fastify/autoload recognises it by the first. */
const tsxArguments = ['--require', join(tsx, 'preflight.cjs'), '--import', pathToFileURL(join(tsx, 'loader.mjs')).href];

/** Embedded databases are WebAssembly, which takes less time to start than to optimise. */
const nodeArguments = ['--liftoff-only'];

/** Whether a program loads no other file of the project. */
const isOneFile = (text) => !/['"`]\.\.?\/|autoload/.test(text);

const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'es2023',
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

function runCompiler(folder, argv) {
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...argv, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** @param {string} output */
export function lastLines(output) {
  return output.trim().split('\n').slice(-MAX_SHOWN_LINES).join('\n');
}

/**
 * @param {string} folder is created
 * @param {{ shelf: string, environment: Record<string, string> }} settings `shelf` has what `npm install` takes
 */
export function createProject(folder, { shelf, environment }) {
  const tools = join(folder, '..', 'tools');
  mkdirSync(folder, { recursive: true });
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const runs = (file, ...words) => `exec '${[process.execPath, file, ...words].join("' '")}' "$@"`;
  for (const [name, command] of [
    ['tsx', runs(join(tsx, 'cli.mjs'))],
    ['tsc', runs(compiler)],
    // npm itself, which is next on the path, does the rest.
    ['npm', `if [ "$1" != install ]; then PATH=\${PATH#*:} exec npm "$@"; fi\nshift\n${runs(shelfProgram, shelf)}`],
  ]) {
    writeFileSync(join(tools, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(tools, name), 0o755);
  }
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    ...environment,
    PATH: `${tools}:${process.env.PATH}`,
  };
  /** @type {Map<string, string>} */
  const written = new Map();
  /** @type {string[]} */
  const kept = [];
  let hasStarted = false;
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    folder,
    env,
    /** @param {string} path @param {string} text */
    write(path, text) {
      written.set(path, text);
      write(path, text);
    },
    manifest: () => readFileSync(join(folder, 'package.json'), 'utf8'),
    /** The packages that the install lines so far have named. */
    installedByName() {
      return Object.keys(JSON.parse(this.manifest()).dependencies ?? {});
    },
    /** The compiler's output for one file, as in a project of `tsc --init` with the types of Node.js. */
    compile(path) {
      writeFileSync(join(folder, 'tsconfig.check.json'), JSON.stringify({ compilerOptions, files: [path] }));
      return runCompiler(folder, ['-p', 'tsconfig.check.json', '--singleThreaded']);
    },
    /**
     * Keeps a file as it is now, with the other files that were written, for {@link compileKept}.
     * @param {string} path
     */
    keepToCompile(path) {
      const place = `.kept/${kept.length}`;
      for (const [name, text] of written) write(`${place}/${name}`, text);
      write(`${place}/tsconfig.json`, JSON.stringify({ compilerOptions, files: [path] }));
      kept.push(place);
      return place;
    },
    /** The compiler's output for the kept files: each is a project of its own, and the types are read once for all. */
    compileKept: () => (kept.length === 0 ? '' : runCompiler(folder, ['-b', ...kept.splice(0)])),
    /**
     * The first program starts by tsx, and each that has parts, or is one. For the others Node.js gets what tsx would
     * make of them: tsx is a third of the time that a program takes to start.
     * @param {string} path
     * @param {number} port
     */
    start(path, port) {
      const text = written.get(path);
      const isPlain = hasStarted && isOneFile(text) && !path.includes('/');
      hasStarted = true;
      if (!isPlain) return startProgram(folder, path, port, env, [...tsxArguments, path]);
      write(`${path}.mjs`, transformSync(text, { loader: 'ts', format: 'esm', keepNames: true }).code);
      return startProgram(folder, path, port, env, [`${path}.mjs`]);
    },
    openShell: () => openShell(folder, env),
  };
}

/**
 * Starts a program, and resolves when it has ended or listens.
 * @param {string} folder
 * @param {string} path
 * @param {number} port
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} words
 */
async function startProgram(folder, path, port, env, words) {
  const child = spawn(process.execPath, [...nodeArguments, ...words], {
    cwd: folder,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exit = once(child, 'close');
  const deadline = Date.now() + MAX_START_MILLIS;
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  let listens = false;
  while (!ended() && !listens && Date.now() < deadline) {
    listens = await accepts(port);
    if (!listens) await Promise.race([exit, sleep(POLL_MILLIS)]);
  }
  const stop = async () => {
    if (!ended()) killGroup(child);
    await exit;
    return child.exitCode;
  };
  if (ended()) await exit;
  return {
    path,
    listens,
    exitCode: ended() ? child.exitCode : null,
    output: () => output,
    /** Resolves to the exit code if it had ended by itself, else to null. */
    stop,
  };
}

/** Kills a process and those that it has started. */
function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // It has ended.
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true) && socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

/** One shell, so that a variable that one block sets is there in the next. */
export function openShell(folder, env) {
  const files = join(folder, '..', 'shell');
  mkdirSync(files, { recursive: true });
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  shell.stdin.on('error', () => {});
  const closed = once(shell, 'close');
  return {
    /** @param {string} command */
    async run(command) {
      const [file, out, err] = ['command', 'out', 'err'].map((name) => join(files, name));
      writeFileSync(file, `${command}\n`);
      const status = once(shell.stdout, 'data', { signal: AbortSignal.timeout(MAX_COMMAND_MILLIS) });
      shell.stdin.write(`. '${file}' </dev/null >'${out}' 2>'${err}'; echo "$?"\n`);
      const code = await Promise.race([
        status.then(([data]) => Number(data)).catch(() => 'it took too long'),
        closed.then(() => 'it ended the shell'),
      ]);
      if (code === 'it took too long') killGroup(shell);
      return { code, output: readFileSync(out, 'utf8'), errors: readFileSync(err, 'utf8') };
    },
    async close() {
      killGroup(shell);
      await closed;
    },
  };
}

/**
 * Whether bash would run these lines, and would not wait for more.
 * @param {string} command
 */
export function isCompleteCommand(command) {
  if (/\\\s*$/.test(command)) return false;
  const { status, stderr } = spawnSync('bash', ['-n'], { input: `${command}\n`, encoding: 'utf8' });
  return status === 0 && stderr === '';
}
