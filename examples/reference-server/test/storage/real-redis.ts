import { Redis } from 'ioredis';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';

/** A Redis that one test owns, and can stop, pause and flush. */
export interface OwnRedis extends RedisProcess {
  command(...words: [string, ...string[]]): Promise<unknown>;
}

export async function ownRedis(...settings: string[]): Promise<OwnRedis> {
  const redis = await createRedisProcess(...settings);
  await redis.start();
  return {
    ...redis,
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
  };
}
