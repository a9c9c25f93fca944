import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../../scripts/redis-cluster.js';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks, type Need } from '../../../../scripts/test-needs.js';
import { MARKED_STORES, type MarkedStore } from '../../faults/marked-stores.js';
import { reportTable } from '../../faults/report-table.js';
import { rpl6 } from '../../faults/scenarios/nonce-loss.js';
import { SHORT_COUNTS } from '../../faults/scenarios/scenario.js';

const needs: Readonly<Record<MarkedStore, Need | null>> = {
  postgres: null,
  embedded: null,
  redis: 'redis-server',
  'redis-cluster': 'redis-cluster',
};

// The machine may be busy, so the test checks what is accepted and refused, and not how soon.
describe.each([...MARKED_STORES])('nonces in a store that loses them: %s', { timeout: 600_000 }, (store) => {
  let database: TestDatabase;
  let redis: RedisProcess | null = null;
  let redisCluster: RedisCluster | null = null;
  beforeAll(async () => {
    database = await createTestDatabase();
    if (lacks(needs[store])) return;
    if (store === 'redis') {
      redis = await createRedisProcess();
      await redis.start();
    }
    if (store === 'redis-cluster') redisCluster = await startRedisCluster(3, 1);
  }, 300_000);
  afterAll(async () => {
    await redis?.kill();
    await redisCluster?.close();
    await database?.drop();
  });

  it.skipIf(lacks(needs[store]))(
    'RPL-6 ORD-6 no envelope is accepted twice, and no honest client meets the flood gate',
    async () => {
      const services = { databaseUrl: database.url, postgres: null, redis, redisCluster };
      const findings = await rpl6.run({ ...services, store, isTimed: false, say: () => {} }, SHORT_COUNTS);
      expect(reportTable(findings)).not.toContain('VIOLATION');
      expect(findings.length).toBeGreaterThan(1);
      // Each accepted envelope was sent to each node again, twice.
      for (const { attempts, keys } of findings) expect([keys >= 12, attempts >= 3 * keys]).toEqual([true, true]);
    },
  );
});
