import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { type Asked, type Call, countRoundTrips, measureRoundTrips, withOwnTime } from '../../bench/round-trips.mjs';
import type { App } from '../../src/app.js';
import type { Config } from '../../src/config/config.js';
import { openRedis } from '../../src/storage/redis.js';
import { createStores } from '../../src/storage/resources.js';
import { sealed } from './sealed-request.js';
import { credentials, openTestBench } from './test-app.js';

interface MeasuredNode {
  readonly app: App;
  /** What it has asked Redis since the last call. */
  readonly takeRoundTrips: () => Asked;
}

/** Opens nodes on one database and one Redis, each with a client of its own. */
export async function openMeasuredNodes(redisUrl: string) {
  const bench = await openTestBench();
  const clients: Redis[] = [];
  const shared = {
    SERVICE_REDIS_URL: redisUrl,
    SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  };

  async function open(environment: Record<string, string> = {}, own: Partial<Config> = {}): Promise<MeasuredNode> {
    const config = { ...bench.config({ ...shared, ...environment }), ...own };
    const redis = await openRedis(redisUrl, false);
    if (!(redis instanceof Redis)) throw new TypeError('a single Redis was asked for');
    clients.push(redis);
    const takeRoundTrips = countRoundTrips(redis);
    const stores = withOwnTime({ ...createStores(config, bench.database, redis), noncesAreNew: true });
    return { app: await bench.appOn(config, { ...bench.resources(config), redis, stores }), takeRoundTrips };
  }

  return {
    open,
    /** Another node sends the messages of this one, so that they do not count for a request. */
    async openQuiet(): Promise<MeasuredNode> {
      await open();
      return open({}, { 'notification.worker': 'separate' });
    },
    async close(): Promise<void> {
      await bench.close();
      for (const client of clients) client.disconnect();
    },
  };
}

/** Sends one request of each kind, and returns what `take` counts for it. */
export async function measureOn<Counts extends object>(
  app: App,
  take: () => Counts,
  inject = async (call: Call) => app.inject(call),
) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  let movedMillis = 0;
  try {
    return await measureRoundTrips({
      inject,
      take,
      credentials,
      seal: (call) => sealed(app, { ...call, aheadMillis: -movedMillis }).options as Call,
      moveOn(millis) {
        movedMillis += millis;
        vi.setSystemTime(Date.now() + millis);
      },
    });
  } finally {
    vi.useRealTimers();
  }
}
