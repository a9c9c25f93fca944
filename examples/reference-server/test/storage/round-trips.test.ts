import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import {
  type Call,
  countRoundTrips,
  measureRoundTrips,
  type RouteRoundTrips,
  roundTripTable,
  withOwnTime,
} from '../../bench/round-trips.mjs';
import type { App } from '../../src/app.js';
import type { Config } from '../../src/config/config.js';
import { openRedis } from '../../src/storage/redis.js';
import { createStores } from '../../src/storage/resources.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, credentials, openTestBench, type TestBench } from '../support/test-app.js';

const redisUrl = inject('redisUrl') as string;

describe.skipIf(lacks('redis'))('round trips to Redis', () => {
  let bench: TestBench;
  const clients: Redis[] = [];
  let rows: readonly RouteRoundTrips[] = [];
  const shared = {
    SERVICE_REDIS_URL: redisUrl,
    SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  };
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(async () => {
    vi.useRealTimers();
    await bench.close();
    for (const client of clients) client.disconnect();
  });

  async function node(
    environment: Record<string, string>,
    own: Partial<Config> = {},
  ): Promise<{ app: App; redis: Redis }> {
    const config = { ...bench.config({ ...shared, ...environment }), ...own };
    const redis = await openRedis(redisUrl, false);
    if (!(redis instanceof Redis)) throw new TypeError('a single Redis was asked for');
    clients.push(redis);
    const stores = withOwnTime({ ...createStores(config, bench.database, redis), noncesAreNew: true });
    return { app: await bench.appOn(config, { ...bench.resources(config), redis, stores }), redis };
  }

  it('PRF-3 RPL-4 the number of round trips of each request matches the README', async () => {
    // This node sends the messages, so that their round trips do not count for a request.
    await node({});
    const { app, redis } = await node({}, { 'notification.worker': 'separate' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    let movedMillis = 0;
    rows = await measureRoundTrips({
      inject: (call) => app.inject(call),
      take: countRoundTrips(redis),
      credentials,
      seal: (call) => sealed(app, { ...call, aheadMillis: -movedMillis }).options as Call,
      moveOn(millis) {
        movedMillis += millis;
        vi.setSystemTime(Date.now() + millis);
      },
    });
    vi.useRealTimers();
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    // A sign-in takes 5 to 7, by the turn of the event loop in which the read of the session leaves.
    const shown = rows.map((row) =>
      row.route === 'POST /admin/auth/login' ? { ...row, roundTrips: Math.max(row.roundTrips, 7) } : row,
    );
    expect(readme).toContain(`\n${roundTripTable(shown)}\n`);
  });

  const budgets = {
    'GET /admin/profile': 2,
    'POST /admin/auth/login': 7,
    'POST /app/auth/sendSmsCode': 5,
    'POST /app/auth/login': 7,
  };

  it.each(Object.entries(budgets))('PRF-13: %s waits at most %i times for Redis', (route, most) => {
    const measured = rows.find((row) => row.route === route);
    expect(measured?.roundTrips).toBeGreaterThan(0);
    expect(measured?.roundTrips).toBeLessThanOrEqual(most);
  });

  it('ADM-4 ORD-1 the limit in Redis counts after the session check, known and unknown paths together', async () => {
    const { app } = await node({
      SERVICE_RATE_LIMIT_MAX_REQUESTS: '3',
      SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
    });
    const headers = await bearer(app);
    const remoteAddress = `198.51.100.${randomBytes(1)[0]}`;
    const ask = (url: string) => app.inject({ url, headers, remoteAddress });
    const ended = await bearer(app);
    await app.inject({ method: 'POST', url: '/auth/logout', headers: ended });
    // Refused in an earlier stage, so not counted.
    const refused = await app.inject({ url: '/admin/profile', headers: ended, remoteAddress });
    expect(refused.json()).toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
    const answers = [await ask('/admin/profile'), await ask('/admin/unknown'), await ask('/admin/profile')];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200]);
    expect(answers.map((answer) => answer.headers['ratelimit-remaining'])).toEqual(['2', '1', '0']);
    for (const limited of [await ask('/admin/profile'), await ask('/admin/unknown')]) {
      expect(limited.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      expect(limited.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});
