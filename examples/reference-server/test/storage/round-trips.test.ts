import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { type RouteRoundTrips, roundTripTable } from '../../bench/round-trips.mjs';
import { measureOn, openMeasuredNodes } from '../support/measured-nodes.js';
import { bearer } from '../support/test-app.js';

const redisUrl = inject('redisUrl') as string;

describe.skipIf(lacks('redis'))('round trips to Redis', () => {
  let nodes: Awaited<ReturnType<typeof openMeasuredNodes>>;
  let rows: readonly RouteRoundTrips[] = [];
  beforeAll(async () => {
    nodes = await openMeasuredNodes(redisUrl);
  });
  afterAll(() => nodes.close());

  it('PRF-3 RPL-4 the number of round trips of each request matches the README', async () => {
    const { app, takeRoundTrips } = await nodes.openQuiet();
    rows = await measureOn(app, takeRoundTrips);
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const table = /^\| request +\| round trips \| commands \|\n(?:\|.*\n)+/m.exec(readme)?.[0];
    expect(roundTripTable(rows).split('\n')).toEqual(table?.trimEnd().split('\n'));
  });

  const budgets = {
    'GET /admin/profile': 1,
    'GET /admin/payments': 1,
    'POST /admin/auth/login': 4,
    'POST /app/auth/sendSmsCode': 5,
    'POST /app/auth/login': 7,
  };

  it.each(Object.entries(budgets))('PRF-13: %s waits at most %i times for Redis', (route, most) => {
    const measured = rows.find((row) => row.route === route);
    expect(measured?.roundTrips).toBeGreaterThan(0);
    expect(measured?.roundTrips).toBeLessThanOrEqual(most);
  });

  it('ADM-4 ORD-1 the limit in Redis counts after the session check, known and unknown paths together', async () => {
    const { app } = await nodes.open({
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
