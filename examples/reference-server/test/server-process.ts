import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from '../../../scripts/build.mjs';
import { freePort } from '../../../scripts/free-port.mjs';
import { credentials } from './test-app.js';

const START_LIMIT_MILLIS = 30_000;

/** The built server in a process of its own. */
export interface ServerProcess {
  call(path: string, init?: { method?: string; token?: string; body?: object }): Promise<Answer>;
  signIn(body?: object): Promise<Answer>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: { readonly data?: Record<string, unknown>; readonly code?: string };
}

/** Starts it, once it is built from the sources as they are, and resolves when it serves. */
export async function startServer(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  build();
  const port = await freePort();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  const own = {
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_PORT: String(port),
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
  };
  const server = spawn(process.execPath, [fileURLToPath(serverEntry)], {
    env: { ...Object.fromEntries(inherited), ...own, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const base = `http://127.0.0.1:${port}`;
  await untilServing(base, server);

  async function call(
    path: string,
    { method = 'GET', token, body }: { method?: string; token?: string; body?: object } = {},
  ): Promise<Answer> {
    const response = await fetch(base + path, {
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

  return {
    call,
    signIn: (body = credentials) => call('/admin/auth/login', { method: 'POST', body }),
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
  };
}

async function untilServing(base: string, server: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + START_LIMIT_MILLIS; ; await sleep(50)) {
    const health = await fetch(`${base}/actuator/health`).catch(() => null);
    if (health?.ok) return;
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('the server did not start');
  }
}
