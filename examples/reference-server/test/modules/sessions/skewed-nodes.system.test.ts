import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../../../scripts/redis-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import { callApi } from '../../../faults/api-client.js';
import { type SharedFleet, startSharedFleet } from '../../../faults/scenarios/shared-fleet.js';
import { credentials } from '../../support/test-app.js';

const HOUR = 3_600_000;
const skewedClock = new URL('../../../faults/dist/skewed-clock.js', import.meta.url);

describe.each(['PostgreSQL', 'Redis'] as const)('two processes on one %s', { timeout: 300_000 }, (name) => {
  describe.skipIf(lacks(name === 'Redis' ? 'redis-server' : null))('whose clocks are set while they run', () => {
    let folder: string;
    let database: TestDatabase;
    let redis: RedisProcess | null = null;
    let shared: SharedFleet;

    const fileOf = (index: number) => join(folder, `moved-${index}`);
    /** Sets the clock of a process. Renaming is atomic: it never reads a partly written file. */
    async function setClock(index: number, aheadMillis: number): Promise<void> {
      await writeFile(`${fileOf(index)}.new`, String(aheadMillis));
      await rename(`${fileOf(index)}.new`, fileOf(index));
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sallyport-clocks-'));
      database = await createTestDatabase();
      if (name === 'Redis') {
        redis = await createRedisProcess();
        await redis.start();
      }
      await Promise.all([setClock(0, 0), setClock(1, 0)]);
      const store = redis === null ? 'postgres' : 'redis';
      const site = { databaseUrl: database.url, postgres: null, redis, store, say: () => {} } as const;
      shared = await startSharedFleet(site, {
        environment: { NODE_OPTIONS: `--import=${skewedClock.href}` },
        environmentOf: (index) => ({ FAULT_CLOCK_FILE: fileOf(index) }),
      });
    }, 300_000);
    afterAll(async () => {
      await shared?.close();
      await redis?.kill();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const status = async (origin: string, token: string) => (await callApi(origin, '/admin/profile', { token })).status;
    const onBoth = (token: string) => Promise.all(shared.origins.map((origin) => status(origin, token)));
    const readiness = async (index: 0 | 1) =>
      (await callApi(shared.origins[index]!, '/actuator/health/readiness', {})).status;
    async function signIn(origin: string): Promise<string> {
      const answer = await callApi(origin, '/admin/auth/login', { method: 'POST', body: credentials });
      return String(answer.data.token);
    }

    it('TOK-12 an hour fast and an hour slow, they end no session, and are not ready until their clocks are right', async () => {
      const { origins, token } = shared;
      expect(await onBoth(token)).toEqual([200, 200]);
      expect([await readiness(0), await readiness(1)]).toEqual([200, 200]);
      await Promise.all([setClock(0, HOUR), setClock(1, -HOUR)]);
      for (let round = 0; round < 5; round += 1) expect(await onBoth(token)).toEqual([200, 200]);
      const tokens = await Promise.all(origins.map(signIn));
      for (const each of tokens) expect(await onBoth(each)).toEqual([200, 200]);
      for (const [index, each] of tokens.entries()) {
        const logout = { method: 'POST', token: each, body: {} };
        expect((await callApi(origins[1 - index] as string, '/auth/logout', logout)).status).toBe(204);
        expect(await onBoth(each)).toEqual([401, 401]);
      }
      expect(await onBoth(token)).toEqual([200, 200]);

      // A finding of the health check is good for a second.
      for (const index of [0, 1] as const) await expect.poll(() => readiness(index), { timeout: 20_000 }).toBe(503);
      const health = await callApi(origins[0], '/actuator/health', { token });
      expect(health.data).toMatchObject({
        status: 'DOWN',
        components: { clock: { status: 'DOWN', details: { reason: 'CLOCK_OFF', skewSeconds: 3600 } } },
      });
      await setClock(1, 0);
      await expect.poll(() => readiness(1), { timeout: 20_000 }).toBe(200);
      expect(await readiness(0)).toBe(503);
      await setClock(0, 0);
      await expect.poll(() => readiness(0), { timeout: 20_000 }).toBe(200);

      const path = '/admin/audit-records?size=200&action=security.clock-off';
      const { data } = await callApi(origins[0], path, { token });
      const skews = data.map(({ parameters }: { parameters: { skewMillis: number } }) => parameters.skewMillis);
      expect(skews.map(Math.sign).sort()).toEqual([-1, 1]);
      expect(await onBoth(token)).toEqual([200, 200]);
    });
  });
});
