import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../../scripts/redis-cluster.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type App, buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { setParameter } from '../modules/files/uploads.js';
import { codeFor, freshMobile } from '../support/app-accounts.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, signIn } from '../support/test-app.js';

/** Allows for a busy machine. */
const patiently = { timeout: 60_000, interval: 100 };

describe.skipIf(lacks('redis-cluster'))('two nodes on a Redis Cluster of three', { timeout: 180_000 }, () => {
  let cluster: RedisCluster;
  let database: TestDatabase;
  let folder: string;
  let nodes: [App, App];

  beforeAll(async () => {
    [cluster, database] = await Promise.all([startRedisCluster(3), createTestDatabase()]);
    folder = await mkdtemp(join(tmpdir(), 'sallyport-cluster-'));
    const config = readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
      SERVICE_DATA_DIR: folder,
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '1000000',
      SERVICE_NODES: '2',
      SERVICE_DATABASE_URL: database.url,
      SERVICE_REDIS_URL: cluster.url,
      SERVICE_REDIS_CLUSTER: 'true',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    nodes = [await buildApp(config), await buildApp(config)];
  }, 180_000);
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await cluster?.close();
    await database?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const profile = { url: '/admin/profile' } as const;

  it('OPS-9 REL-4 TOK-3 they share sessions, nonces and counters: one of 50 copies of an envelope takes effect, and a sign-out applies everywhere', async () => {
    const [one, other] = nodes;
    const headers = await bearer(one);
    const request = sealed(one, { ...profile, headers });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => nodes[i % 2]!.inject(request.options)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect((await other.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode).toBe(204);
    for (const node of nodes) expect((await node.inject({ ...profile, headers })).statusCode).toBe(401);
  });

  it('OPS-9 SYS-3 APP-4 a changed parameter reaches the other node, and a queued message is sent', async () => {
    const [one, other] = nodes;
    const key = 'admin.auth.password.min-length';
    await setParameter(one, await bearer(one), key, 11);
    await expect
      .poll(async () => (await other.inject('/public/system-parameters')).json().data[key], patiently)
      .toBe(11);
    expect(await codeFor(other, freshMobile())).toMatch(/^\d{6}$/);
  });

  it('OPS-9 REL-2 without its masters nothing is let through; when they return the same processes recover', async () => {
    const [one, other] = nodes;
    const before = await bearer(one);
    for (const redis of cluster.nodes) await redis.kill();
    const answers = await Promise.all([
      one.inject({ ...profile, headers: before }),
      other.inject({ ...profile, headers: before }),
      signIn(other),
      one.inject(sealed(one, { url: '/public/system-parameters' }).options),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 503]);
    for (const redis of cluster.nodes) await redis.start();
    await cluster.agreed();
    for (const node of nodes) {
      await expect.poll(async () => (await signIn(node)).statusCode, patiently).toBe(200);
      expect((await node.inject({ ...profile, headers: await bearer(one) })).statusCode).toBe(200);
    }
    // Sessions without persistence are lost.
    expect((await one.inject({ ...profile, headers: before })).statusCode).toBe(401);
    expect(await codeFor(one, freshMobile())).toMatch(/^\d{6}$/);
  });
});
