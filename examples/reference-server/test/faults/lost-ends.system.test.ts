import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../../scripts/redis-cluster.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { openLosableRedis } from '../../faults/losable-redis.js';
import { reportTable } from '../../faults/report-table.js';
import { SHORT_COUNTS, type Site } from '../../faults/scenarios/scenario.js';
import { loseEndsOn, tok15 } from '../../faults/scenarios/tok-15.js';
import { redisLosses, type StoreLoss } from '../../faults/store-losses.js';

const needs = { redis: 'redis-server', 'redis-cluster': 'redis-cluster' } as const;

function siteOn({ url }: TestDatabase, store: keyof typeof needs, redisCluster: RedisCluster | null = null): Site {
  return { databaseUrl: url, postgres: null, redis: null, redisCluster, store, isTimed: false, say: () => {} };
}

// The machine may be busy, so the test checks what is answered, and not how soon.
describe.each(['redis', 'redis-cluster'] as const)('sessions in a store that loses them: %s', (store) => {
  let database: TestDatabase;
  let redisCluster: RedisCluster | null = null;
  beforeAll(async () => {
    database = await createTestDatabase();
    if (!lacks(needs[store]) && store === 'redis-cluster') redisCluster = await startRedisCluster(3, 1);
  }, 300_000);
  afterAll(async () => {
    await redisCluster?.close();
    await database?.drop();
  });

  it.skipIf(lacks(needs[store]))(
    'TOK-15 no session that was ended answers on any node, and those that the store still has go on',
    { timeout: 600_000 },
    async () => {
      const findings = await tok15.run(siteOn(database, store, redisCluster), SHORT_COUNTS);
      expect(reportTable(findings)).not.toContain('VIOLATION');
      const unseen = ['ends while the store is empty', 'ends that failed and were repeated'];
      const faults = findings.map(({ fault }) => fault);
      expect(faults).toEqual(expect.arrayContaining(unseen.map((ends) => `${ends}, and an older copy returns`)));
      expect(findings.length).toBeGreaterThan(4);
      for (const { attempts, keys } of findings) expect(attempts).toBeGreaterThan(2 * keys);
    },
  );
});

describe.skipIf(lacks('redis-server'))('sessions whose ends no store remembers', () => {
  it('TOK-15 finds those that live again: the scenario can fail', { timeout: 300_000 }, async () => {
    const database = await createTestDatabase();
    try {
      const options = { counts: SHORT_COUNTS, forgetsEnds: true };
      const isIntoRunning = ({ fault }: StoreLoss) => fault === 'restore into the running Redis';
      const [finding] = await loseEndsOn(siteOn(database, 'redis'), await openLosableRedis(), options, (losable) =>
        redisLosses(losable).filter(isIntoRunning),
      );
      expect(new Set(finding!.violations.map(({ kind }) => kind))).toEqual(new Set(['ended-session-lives']));
    } finally {
      await database.drop();
    }
  });
});
