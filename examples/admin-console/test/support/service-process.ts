import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from '../../../../scripts/build.mjs';
import { freePort } from '../../../../scripts/free-port.mjs';
import { writeTestEmbedded } from '../../../../scripts/test-embedded.js';

/** How long a server may take to answer, in milliseconds: on a busy machine. */
const MAX_START_MILLIS = 60_000;

/** How long a server may take to end after SIGTERM, in milliseconds. */
const MAX_STOP_MILLIS = 15_000;

/** A reference server in a process of its own. */
export interface ServiceProcess {
  readonly origin: string;
  output(): string;
  stop(): Promise<void>;
  /** Starts it again on the same port and data, after `stop`. */
  start(): Promise<void>;
  /** Stops it, and removes its folder. */
  remove(): Promise<void>;
}

/** Starts a server of development with the settings, such as `SERVICE_API_ENCRYPTION_MODE`. */
export async function startService(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  build();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-console-'));
  await writeTestEmbedded(join(folder, 'pglite'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  let output = '';
  let end = async () => {};

  async function start(): Promise<void> {
    const child = spawn(process.execPath, [fileURLToPath(serverEntry)], {
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name))),
        SERVICE_PROFILE: 'development',
        SERVICE_PORT: String(port),
        SERVICE_DATA_DIR: folder,
        SERVICE_LOG_LEVEL: 'warn',
        // Every scenario signs in, from one address.
        SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
        SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '1000',
        // A busy machine hashes slowly, and the service then refuses sign-ins.
        SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (text: string) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    end = async () => {
      if (hasEnded()) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MILLIS);
      await closed;
      clearTimeout(timer);
    };
    for (const deadline = Date.now() + MAX_START_MILLIS; !(await isReady(origin)); await sleep(50)) {
      if (hasEnded() || Date.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`the server did not start:\n${output}`);
      }
    }
  }

  await start();
  return {
    origin,
    output: () => output,
    start,
    stop: () => end(),
    async remove() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/actuator/health/readiness`)).ok;
  } catch {
    return false;
  }
}
