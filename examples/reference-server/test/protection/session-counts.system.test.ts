import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type App, buildApp } from '../../src/app.js';
import { type Actor, actor, roomyConfig, root } from '../support/accounts.js';
import { newAppUser } from '../support/app-accounts.js';
import { setParameter } from '../support/system-parameters.js';

const redisUrl = inject('redisUrl') as string;

const FIRST = 'admin.auth.password.force-first-change';
const FACTOR = 'app.auth.second-factor.mode';

/** A request is counted together with the read of its session, before the hooks that may refuse it have run. */
describe.skipIf(lacks('redis'))('the count that comes with the session', () => {
  const keyPrefix = `t-${randomBytes(6).toString('hex')}:`;
  let database: TestDatabase;
  let folder: string;
  let app: App;
  let admin: Actor;
  let redis: Redis;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-counts-'));
    const config = { ...roomyConfig(database.url, folder), 'redis-url': redisUrl, 'redis-key-prefix': keyPrefix };
    app = await buildApp(config);
    admin = await root(app);
    redis = new Redis(redisUrl);
  });
  afterEach(async () => {
    await setParameter(admin, FIRST, false);
    await setParameter(admin, FACTOR, 'OFF');
  });
  afterAll(async () => {
    await app.close();
    redis.disconnect();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The counts of all sessions by the limit that is common to all routes. */
  async function counted(): Promise<number> {
    const keys = await redis.keys(`${keyPrefix}rate-limit:session-*`);
    const counts = keys.length === 0 ? [] : await redis.mget(keys);
    return counts.reduce((sum, count) => sum + Number(count), 0);
  }

  /** The counts that so many requests took, one after the other, and the codes of their answers. */
  async function askTimes(times: number, who: Pick<Actor, 'headers'>, url = '/admin/payments') {
    const before = await counted();
    const codes = new Set<unknown>();
    for (let time = 0; time < times; time += 1) {
      const answer = await app.inject({ url, headers: who.headers });
      codes.add(answer.statusCode < 300 ? answer.statusCode : answer.json().code);
    }
    return { counts: (await counted()) - before, codes: [...codes] };
  }

  /** Until the node keeps the permissions of the session, and counts with its read. */
  async function known(permissions: readonly string[]): Promise<Actor> {
    const who = await actor(app, admin, permissions);
    await vi.waitFor(
      async () => {
        await who.call('GET', '/admin/payments');
        expect(await redis.get(`${keyPrefix}auth-tokens:permissions-version`)).toMatch(/^settled:/);
      },
      { timeout: 20_000 },
    );
    await who.call('GET', '/admin/payments');
    return who;
  }

  it('ORD-1 each request that is served is counted once, also on an unknown path', async () => {
    const who = await known(['api:admin:payments:list']);
    for (const url of ['/admin/payments', '/admin/profile']) {
      expect(await askTimes(7, who, url)).toEqual({ counts: 7, codes: [200] });
    }
    expect(await askTimes(7, who, '/admin/unknown')).toEqual({ counts: 7, codes: ['NOT_FOUND'] });
  });

  it('ORD-1 requests that a duty refuses are not counted, though the node knows their session', async () => {
    const who = await known(['api:admin:payments:list']);
    await setParameter(admin, FIRST, true);
    expect(await askTimes(5, who)).toEqual({ counts: 0, codes: ['PASSWORD_CHANGE_REQUIRED'] });
    await setParameter(admin, FIRST, false);
    expect(await askTimes(5, who)).toEqual({ counts: 5, codes: [200] });
    const user = await newAppUser(app);
    expect(await askTimes(5, user, '/app/profile')).toEqual({ counts: 5, codes: [200] });
    await setParameter(admin, FACTOR, 'REQUIRED');
    const refused = { counts: 0, codes: ['SECOND_FACTOR_ENROLMENT_REQUIRED'] };
    expect(await askTimes(5, user, '/app/profile')).toEqual(refused);
  });

  it('ORD-1 nor are those without the permission, or whose session has ended', async () => {
    const who = await known(['api:admin:payments:list']);
    expect(await askTimes(5, who, '/admin/roles')).toEqual({ counts: 0, codes: ['PERMISSION_DENIED'] });
    await admin.call('PUT', `/admin/roles/${who.roleId}`, { permissions: [] });
    expect(await askTimes(5, who)).toEqual({ counts: 0, codes: ['PERMISSION_DENIED'] });
    await admin.call('PUT', `/admin/administrators/${who.id}`, { disabled: true });
    expect(await askTimes(5, who, '/admin/profile')).toEqual({ counts: 0, codes: ['ACCOUNT_DISABLED'] });
  });
});
