import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { createRedisProcess } from '../../../../scripts/redis-process.js';

/** A separate Redis for one test, which may stop and flush it. */
export async function startOwnRedis(): Promise<{ client: Redis; stop(): Promise<void> }> {
  const redis = await createRedisProcess();
  onTestFinished(redis.kill);
  await redis.start();
  const client = new Redis(redis.url, { retryStrategy: () => 100 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return { client, stop: redis.kill };
}
