import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type FaultProxy, startFaultProxy } from '../../faults/fault-proxy.js';
import type { Finding } from '../../faults/observed-run.js';
import { reportTable } from '../../faults/report-table.js';
import { breakRedis } from '../../faults/scenarios/rel-2.js';
import { raceCopies } from '../../faults/scenarios/rel-4.js';
import { replayEverywhere, type SkewedFleet, startSkewedFleet } from '../../faults/scenarios/rel-5.js';
import { rel8 } from '../../faults/scenarios/rel-8.js';
import { stopByTurns } from '../../faults/scenarios/rel-10.js';
import { watchedFleet, watchGrowth } from '../../faults/scenarios/rel-11.js';
import { SHORT_COUNTS, type Site } from '../../faults/scenarios/scenario.js';
import { type SharedFleet, startSharedFleet } from '../../faults/scenarios/shared-fleet.js';

/** The machine may be busy, so these tests check behaviour and not speed. */
function siteOn({ url }: TestDatabase, redis: RedisProcess | null): Site {
  return {
    databaseUrl: url,
    postgres: null,
    redis,
    store: redis === null ? 'postgres' : 'redis',
    rules: { definiteWithinMillis: 100_000 },
    isTimed: false,
    say: () => {},
  };
}

function expectNoViolation(findings: readonly Finding[]): void {
  expect(reportTable(findings)).not.toContain('VIOLATION');
}

// `pnpm run faults` is the long run of each. The servers of a describe are started once, which takes as long as the
// machine is busy.
describe.skipIf(lacks('redis-server', 'procfs'))('two nodes on one Redis', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  let redis: RedisProcess;
  let proxy: FaultProxy;
  let site: Site;
  let shared: SharedFleet;
  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await createRedisProcess();
    await redis.start();
    proxy = await startFaultProxy(redis.port);
    site = siteOn(database, redis);
    const redisUrl = `redis://127.0.0.1:${proxy.port}`;
    shared = await startSharedFleet(site, { redisUrl, ...watchedFleet });
  }, 300_000);
  afterAll(async () => {
    await shared?.close();
    await proxy?.close();
    await redis?.kill();
    await database?.drop();
  });

  it('REL-11 SV-17 after hundreds of mixed requests heap and descriptors are back at their level, and each answer is valid', async () => {
    const finding = await watchGrowth(site, shared, SHORT_COUNTS.minutes);
    expectNoViolation([finding]);
    expect(finding.attempts).toBeGreaterThanOrEqual(400);
    // The proxy sent requests to both nodes.
    for (const count of shared.proxy.served()) expect(count).toBeGreaterThan(100);
  });

  it('REL-2 while Redis is down, silent or cut off nothing is let through; each time the same processes recover', async () => {
    const faults = ['Redis away', 'Redis silent', 'cut in mid-answer'];
    const findings = await breakRedis(site, shared, proxy, 2, faults);
    expect(findings.map(({ fault }) => fault)).toEqual(faults);
    expectNoViolation(findings);
    for (const { keys, rows } of findings) {
      expect(keys).toBeGreaterThan(0);
      expect(rows).toBe(keys);
    }
  });

  it('REL-10 SV-10 OPS-7 stopping one node after the other under load loses no acknowledged payment and no audit record', async () => {
    const finding = await stopByTurns(site, shared.fleet, shared.token, 2);
    expectNoViolation([finding]);
    expect(finding.times).toBe(2);
    expect(finding.rows).toBe(finding.keys);
  });

  it('REL-4 exactly one of 50 parallel copies of an envelope, key, code, first sign-in, ticket or captcha over two processes takes effect', async () => {
    const findings = await raceCopies(site, shared, 1);
    expectNoViolation(findings);
    expect(findings.map(({ attempts, rows, acknowledged }) => [attempts, rows, acknowledged])).toEqual(
      Array.from({ length: 6 }, () => [50, 1, 1]),
    );
  });
});

describe('two nodes with clocks 200 s apart', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  let site: Site;
  let skewed: SkewedFleet;
  beforeAll(async () => {
    database = await createTestDatabase();
    site = siteOn(database, null);
    skewed = await startSkewedFleet(site);
  }, 300_000);
  afterAll(async () => {
    await skewed?.close();
    await database?.drop();
  });

  it('REL-5 RPL-7 no envelope of a client 295 s off either clock is accepted twice, wherever the clocks of the nodes go', async () => {
    const finding = await replayEverywhere(site, skewed, 20);
    expectNoViolation([finding]);
    // The two that were stamped before the first start are refused (RPL-6).
    expect([finding.keys, finding.acknowledged]).toEqual([6, 4]);
  });

  it('REL-5 finds the replay if the store forgets nonces without a trace: the scenario can fail', async () => {
    const { violations } = await replayEverywhere(site, skewed, 20, true);
    expect(new Set(violations.map(({ kind }) => kind))).toEqual(new Set(['replay-accepted']));
  });
});

describe.skipIf(lacks('procfs'))('slow clients', { timeout: 300_000 }, () => {
  it('REL-8 SV-03 six hundred slow clients do not delay the health check, and are closed in time', async () => {
    const database = await createTestDatabase();
    try {
      const [finding] = await rel8.run(siteOn(database, null), { ...SHORT_COUNTS, seconds: 1 });
      expectNoViolation([finding!]);
      expect(finding!.attempts).toBeGreaterThan(0);
    } finally {
      await database.drop();
    }
  });
});
