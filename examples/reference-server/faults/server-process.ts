import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from '../../../scripts/build.mjs';
import { freePort } from '../../../scripts/free-port.mjs';
import { writeTestEmbedded } from '../../../scripts/test-embedded.js';
import { developmentAccount, passwordToSend } from '../src/modules/administrators/index.js';

/** The limit for a start, in milliseconds, even with ten other processes on the machine. */
const START_LIMIT_MILLIS = 120_000;

/** What is kept of what the server prints, in characters, for the message about a failed start. */
const KEPT_OF_LOG = 2000;

/** The credentials of the development account. */
const credentials = {
  username: developmentAccount.username,
  password: passwordToSend(developmentAccount.password),
  terminal: 'web',
} as const;

/** The built server in its own process. */
export interface ServerProcess {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  isRunning(): boolean;
  /** Resolves when the process has exited for any reason. */
  readonly ended: Promise<void>;
  /** Null while it runs, and if a signal killed it. */
  exitCode(): number | null;
  /** Resolves to what the process next writes to descriptor 3. The shipped server never writes to it. */
  announced(): Promise<string>;
  call(path: string, init?: { method?: string; token?: string; body?: object }): Promise<Answer>;
  signIn(body?: object): Promise<Answer>;
  signal(signal: 'SIGCONT' | 'SIGSTOP' | 'SIGUSR2' | 'SIGTERM' | 'SIGWINCH'): void;
  /** Sends SIGKILL. Does nothing if the process has exited. */
  kill(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: { readonly data?: Record<string, unknown>; readonly code?: string };
}

export interface ServerProcessOptions {
  /** The program. Default: the shipped server. */
  readonly entry?: URL;
  /** The port. Default: a free one. */
  readonly port?: number;
  /** Whether the process may kill itself at a request, even the first one. That counts as started. Default false. */
  readonly mayKillItself?: boolean;
}

type Environment = Readonly<Record<string, string>>;

let isBuilt = false;

/** Builds the sources before the first start, starts the server, and resolves when it accepts requests. */
export async function startServer(
  environment: Environment,
  { entry = serverEntry, port, mayKillItself = false }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  if (!isBuilt) build();
  isBuilt = true;
  const { SERVICE_DATABASE_URL: database, SERVICE_DATA_DIR: data } = environment;
  if (database === undefined && data !== undefined) await writeTestEmbedded(join(data, 'pglite'));
  const listenOn = port ?? (await freePort());
  const server = spawn(process.execPath, [fileURLToPath(entry)], {
    env: { ...inherited(), ...quickStart(listenOn), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let lastLines = '';
  for (const output of [server.stdout!, server.stderr!]) {
    output.on('data', (chunk) => {
      lastLines = (lastLines + chunk).slice(-KEPT_OF_LOG);
    });
  }
  server.stderr!.pipe(process.stderr, { end: false });
  const announcements = server.stdio[3]!;
  const exited = once(server, 'exit');
  const killAtExit = () => void server.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = exited.then(() => void process.off('exit', killAtExit));
  const origin = `http://127.0.0.1:${listenOn}`;
  await untilServing(origin, server, mayKillItself).catch((error: Error) => {
    server.kill('SIGKILL');
    throw new Error(`${error.message}. It printed last:\n${lastLines}`);
  });

  const call: ServerProcess['call'] = (path, init) => callServer(origin + path, init);
  return {
    origin,
    port: listenOn,
    pid: server.pid!,
    isRunning: () => !hasEnded(server),
    ended,
    exitCode: () => server.exitCode,
    announced: () => once(announcements, 'data').then(String),
    call,
    signIn: (body = credentials) => call('/admin/auth/login', { method: 'POST', body }),
    signal: (signal) => void server.kill(signal),
    async kill() {
      server.kill('SIGKILL');
      await ended;
    },
  };
}

function inherited(): Environment {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  return Object.fromEntries(own) as Environment;
}

function quickStart(port: number): Environment {
  return {
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_PORT: String(port),
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
    SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '1000',
  };
}

async function callServer(
  url: string,
  { method = 'GET', token, body }: { method?: string; token?: string; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

async function untilServing(origin: string, server: ChildProcess, mayKillItself: boolean): Promise<void> {
  let answer = 'no answer';
  for (const deadline = Date.now() + START_LIMIT_MILLIS; Date.now() < deadline; await sleep(50)) {
    const health = await fetch(`${origin}/actuator/health`).catch(() => null);
    if (health?.ok || (mayKillItself && server.signalCode === 'SIGKILL')) return;
    if (health !== null) answer = `${health.status} ${await health.text()}`;
    if (hasEnded(server)) {
      throw new Error(`the server ended with ${server.signalCode ?? server.exitCode} instead of serving`);
    }
  }
  throw new Error(`the server did not serve within ${START_LIMIT_MILLIS / 1000} s: ${answer}`);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
