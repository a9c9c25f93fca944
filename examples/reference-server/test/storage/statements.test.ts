import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { type Call, measureRoundTrips, withOwnTime } from '../../bench/round-trips.mjs';
import { countStatements, type RouteStatements, statementTable } from '../../bench/statement-counts.mjs';
import type { App } from '../../src/app.js';
import type { Config } from '../../src/config/config.js';
import { openRedis } from '../../src/storage/redis.js';
import { createStores } from '../../src/storage/resources.js';
import { sealed } from '../support/sealed-request.js';
import { credentials, openTestBench, type TestBench } from '../support/test-app.js';

const redisUrl = inject('redisUrl') as string;

describe.skipIf(lacks('redis'))('statements of a request', () => {
  let bench: TestBench;
  let rows: readonly RouteStatements[];
  const counter = countStatements();
  const clients: Redis[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    // This node sends the messages, so that their statements do not count for a request.
    await openNode({});
    const app = await openNode({ 'notification.worker': 'separate' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    let movedMillis = 0;
    rows = await measureRoundTrips({
      inject: (call) => counter.during(async () => app.inject(call)),
      take: counter.take,
      credentials,
      seal: (call) => sealed(app, { ...call, aheadMillis: -movedMillis }).options as Call,
      moveOn(millis) {
        movedMillis += millis;
        vi.setSystemTime(Date.now() + millis);
      },
    });
    vi.useRealTimers();
  });
  afterAll(async () => {
    counter.stop();
    await bench.close();
    for (const client of clients) client.disconnect();
  });

  const shared = {
    SERVICE_REDIS_URL: redisUrl,
    SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  };

  async function openNode(own: Partial<Config>): Promise<App> {
    const config = { ...bench.config(shared), ...own };
    const redis = await openRedis(redisUrl, false);
    if (!(redis instanceof Redis)) throw new TypeError('a single Redis was asked for');
    clients.push(redis);
    const stores = withOwnTime({ ...createStores(config, bench.database, redis), noncesAreNew: true });
    return bench.appOn(config, { ...bench.resources(config), redis, stores });
  }

  it('PRF-10 no request makes drizzle build a query', () => {
    expect(rows.length).toBeGreaterThan(20);
    const building = rows.filter(({ built }) => built.length > 0).map(({ route, built }) => ({ route, built }));
    expect(building).toEqual([]);
  });

  it('PRF-10 the number of statements of each request matches the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\n${statementTable(rows)}\n`);
  });
});
