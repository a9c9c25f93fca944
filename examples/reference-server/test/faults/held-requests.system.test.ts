import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { heldWays } from '../../faults/held-requests.js';
import { reportTable } from '../../faults/report-table.js';
import { holdRequests } from '../../faults/scenarios/tok-13.js';

describe.skipIf(lacks('redis-server'))(
  'requests held at one node process while their session ends on the other',
  () => {
    let database: TestDatabase;
    let redis: RedisProcess;
    beforeAll(async () => {
      database = await createTestDatabase();
      redis = await createRedisProcess();
      await redis.start();
    }, 60_000);
    afterAll(async () => {
      await redis?.kill();
      await database?.drop();
    });

    it('TOK-13 change nothing and are recorded as refused, in their body and at their commit, also where the other node is killed', {
      timeout: 300_000,
    }, async () => {
      const { url: databaseUrl } = database;
      const site = { databaseUrl, postgres: null, redis, store: 'redis', isTimed: false, say: () => {} } as const;
      const findings = await holdRequests(site, { killedWays: ['reset', 'loss of roles'] });
      expect(reportTable(findings)).not.toContain('VIOLATION');
      expect(findings).toHaveLength(2 * (heldWays.length + 2));
      // Another one was judged by its head, on a busy machine, which proves less. The end cuts an upload.
      const byHead = findings.filter(({ measured }) => /before the rest was sent: (?!upload$)/.test(measured ?? ''));
      expect(byHead.length).toBeLessThan(heldWays.length / 2);
      const rows = findings.filter(({ rows }) => rows > 0).map(({ fault, rows }) => [fault, rows]);
      expect(rows).toEqual([
        ['body held, nothing ended', 4],
        ['commit held, nothing ended', 1],
      ]);
    });
  },
);
