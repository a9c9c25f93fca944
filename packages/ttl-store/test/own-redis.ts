import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** The major version of the `redis-server` on the PATH, or null where there is none: its tests are skipped. */
export const redisServerMajor: number | null =
  Number(/v=(\d+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1]) || null;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A Redis of one test file's own, which it may stop, freeze and misconfigure. */
export interface OwnRedis {
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export async function createOwnRedis(...settings: readonly string[]): Promise<OwnRedis> {
  const port = await freePort();
  let running: { process: ChildProcess; directory: string } | null = null;

  return {
    port,
    async start() {
      const directory = await mkdtemp(join(tmpdir(), 'ttl-store-redis-'));
      const fixed = [
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        directory,
      ];
      running = { process: spawn('redis-server', [...fixed, ...settings], { stdio: 'ignore' }), directory };
      const probe = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, maxRetriesPerRequest: null });
      probe.on('error', () => {});
      await probe.ping();
      probe.disconnect();
    },
    async kill() {
      if (running === null) return;
      const { process, directory } = running;
      running = null;
      const exited = once(process, 'exit');
      process.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
    freeze: () => void running?.process.kill('SIGSTOP'),
    thaw: () => void running?.process.kill('SIGCONT'),
  };
}

/** Asks until the answer is yes; a recovery takes a moment that nobody can tell beforehand. */
export async function eventually(ask: () => Promise<boolean>, withinMillis = 5000): Promise<void> {
  const deadline = Date.now() + withinMillis;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMillis} ms`);
    await sleep(20);
  }
}
