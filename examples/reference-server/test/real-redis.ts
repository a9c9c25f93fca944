import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A Redis of a test's own, to be stopped, paused and flushed at will. */
export interface OwnRedis {
  readonly url: string;
  start(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Holds it still: connections stay open, answers don't come. */
  pause(): void;
  resume(): void;
  command(...words: [string, ...string[]]): Promise<unknown>;
  close(): Promise<void>;
}

export async function ownRedis(...options: string[]): Promise<OwnRedis> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-own-redis-'));
  let server: ChildProcess | null = null;

  const redis: OwnRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...options];
      server = spawn('redis-server', words, { stdio: 'ignore' });
      while ((await redis.command('PING').catch(() => null)) !== 'PONG') await sleep(20);
    },
    async kill() {
      const exited = once(server as ChildProcess, 'exit');
      server?.kill('SIGKILL');
      await exited;
      server = null;
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async command(...words) {
      const client = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => {});
      try {
        await client.connect();
        return await client.call(...words);
      } finally {
        client.disconnect();
      }
    },
    async close() {
      if (server !== null) await redis.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
