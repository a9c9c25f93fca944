import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** Timeout of a probe before it is repeated, in milliseconds. */
const PROBE_LIMIT_MILLIS = 1000;

/** The major version of the `redis-server` on the PATH, or null without one: its tests are skipped. */
export const redisServerMajor: number | null =
  Number(/v=(\d+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1]) || null;

/** A `redis-server` on a fixed port, which tests stop, pause and misconfigure. It keeps nothing on disk. */
export interface RedisProcess {
  readonly port: number;
  readonly url: string;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Kills it, with its data; it may be started again. Does nothing if it is not running. */
  kill(): Promise<void>;
  /** Pauses it: connections stay open without answers. */
  pause(): void;
  resume(): void;
}

/** Chooses the port without starting. `settings` are additional arguments of `redis-server`. */
export async function createRedisProcess(...settings: readonly string[]): Promise<RedisProcess> {
  const port = await freePort();
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  let running: { server: ChildProcess; folder: string } | null = null;

  async function kill(): Promise<void> {
    if (running === null) return;
    const { server, folder } = running;
    running = null;
    if (!hasEnded(server)) {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const folder = await mkdtemp(join(tmpdir(), 'sallyport-redis-'));
      const server = spawn('redis-server', [...fixed, '--dir', folder, ...settings], { stdio: 'ignore' });
      // A missing program shows as a missing process id.
      server.on('error', () => {});
      running = { server, folder };
      while (!(await answersPing(port))) {
        if (hasEnded(server)) {
          await kill();
          throw new Error(`redis-server did not start on port ${port}: is it installed, and are its settings right?`);
        }
        await sleep(20);
      }
    },
    kill,
    pause: () => void running?.server.kill('SIGSTOP'),
    resume: () => void running?.server.kill('SIGCONT'),
  };
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function answersPing(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(PROBE_LIMIT_MILLIS) });
    return String(answer) === '+PONG\r\n';
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
