import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { bearer, openTestBench, type TestBench } from '../../support/test-app.js';

const HOUR = 3_600_000;

describe('a node whose clock is off', () => {
  let bench: TestBench;
  let app: App;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    const config = bench.config();
    const resources = bench.resources(config);
    const { now } = Date;
    // A store on another machine. The embedded database has the clock of this process.
    const sessions = { ...resources.stores.sessions, time: async () => now() };
    app = await bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions } });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await bench.close();
  });

  const readiness = async () => (await app.inject('/actuator/health/readiness')).statusCode;

  it('TOK-12 OPS-1 is not ready, says why, records it once, and goes on with every session', async () => {
    const headers = await bearer(app);
    const status = async (url: string) => (await app.inject({ url, headers })).statusCode;
    expect([await status('/admin/profile'), await readiness()]).toEqual([200, 200]);
    const setClock = (aheadMillis: number) => {
      vi.useRealTimers();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMillis });
    };
    for (const aheadMillis of [-HOUR, 2 * HOUR, HOUR]) {
      setClock(aheadMillis);
      expect(await status('/admin/profile')).toBe(200);
      expect((await app.authTokens.clock()).isOff).toBe(true);
    }
    // A finding is good for a second.
    await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
    const { components } = (await app.inject({ url: '/actuator/health', headers })).json();
    const details = { reason: 'CLOCK_OFF', skewSeconds: 3600, allowedSkewSeconds: 240 };
    expect(components.clock).toEqual({ status: 'DOWN', details });
    setClock(200_000);
    expect(await status('/admin/profile')).toBe(200);
    await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
    vi.useRealTimers();
    const recorded = async (action: string) =>
      (await app.inject({ url: `/admin/audit-records?action=${action}`, headers })).json().data;
    await expect.poll(() => recorded('security.clock-right'), { timeout: 10_000 }).toHaveLength(1);
    expect(await recorded('security.clock-off')).toMatchObject([{ actor: null, outcome: 'success' }]);
  });
});
