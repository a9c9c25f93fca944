import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';

/** How long an example may take to answer, in milliseconds: a busy machine compiles its sources slowly. */
const MAX_START_MILLIS = 60_000;

/** How long an example may take to end after SIGTERM, in milliseconds, before it is killed and the test fails. */
const MAX_STOP_MILLIS = 10_000;

/** A running example application. */
export interface ExampleProcess {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly origin: string;
  /** What it has written to standard output and standard error so far. */
  output(): string;
  /** Stops it as Ctrl+C or a container does, by SIGTERM. Rejects if it has crashed or doesn't end. */
  stop(): Promise<void>;
}

/**
 * Starts `examples/NAME` by the command of its `start` script, `node …`, on a free port in `PORT`. Resolves when it
 * answers any HTTP request. Give settings of the example as `environment`. Requirement EXM-1.
 */
export async function startExample(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ExampleProcess> {
  const folder = new URL(`../examples/${name}/`, import.meta.url);
  const [program, ...words] = await startCommandOf(folder);
  if (program !== 'node') throw new Error(`the start script of ${name} must begin with node`);
  const port = await freePort();
  const child = spawn(process.execPath, words, {
    cwd: fileURLToPath(folder),
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const origin = `http://127.0.0.1:${port}`;

  for (const deadline = Date.now() + MAX_START_MILLIS; !(await answers(origin)); await sleep(50)) {
    if (hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not start:\n${output}`);
    }
  }
  return {
    origin,
    output: () => output,
    async stop() {
      if (hasEnded(child)) throw new Error(`${name} had ended before it was stopped:\n${output}`);
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MILLIS);
      await ended;
      clearTimeout(timer);
      if (child.signalCode === 'SIGKILL') throw new Error(`${name} did not end on SIGTERM:\n${output}`);
    },
  };
}

async function startCommandOf(folder: URL): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(new URL('package.json', folder), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return manifest.scripts.start.split(' ');
}

async function answers(origin: string): Promise<boolean> {
  const response = await fetch(origin, { signal: AbortSignal.timeout(MAX_START_MILLIS) }).catch(() => null);
  await response?.body?.cancel();
  return response !== null;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
