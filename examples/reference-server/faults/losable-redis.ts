import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createRedisProcess, type RedisProcess } from '../../../scripts/redis-process.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';

/** A Redis of a scenario, with its data in a folder that outlives the process. */
export interface LosableRedis {
  readonly redis: RedisProcess;
  /** Of the process itself, not of what took its place. */
  readonly client: Redis;
  readonly proxy: FaultProxy;
  /** The address for the nodes: of the proxy. */
  readonly url: string;
  readonly folder: string;
  /** Runs when it is closed. */
  closeLater(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export const APPEND_ALWAYS = ['--appendonly', 'yes', '--appendfsync', 'always'] as const;

export async function openLosableRedis(...settings: readonly string[]): Promise<LosableRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-losable-'));
  const redis = await createRedisProcess('--dir', folder, ...settings);
  await redis.start();
  const proxy = await startFaultProxy(redis.port);
  const client = new Redis(redis.url, { retryStrategy: () => 50 });
  client.on('error', () => {});
  const closing: (() => Promise<unknown>)[] = [];
  return {
    redis,
    client,
    proxy,
    url: `redis://127.0.0.1:${proxy.port}`,
    folder,
    closeLater: (close) => void closing.push(close),
    async close() {
      client.disconnect();
      await proxy.close();
      for (const close of [...closing, redis.kill]) await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
