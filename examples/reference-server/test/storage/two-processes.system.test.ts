import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { credentials } from '../support/test-app.js';

/**
 * The limit for a change to reach every node: two seconds (SYS-3), plus time for a busy machine.
 */
const CHANGE_MILLIS = 5000;

const redisUrl = inject('redisUrl');
const wrong = { ...credentials, password: 'f'.repeat(64) };

// Each test builds and starts servers, which is slow on a busy machine.
describe('two server processes', { timeout: 90_000 }, () => {
  let database: TestDatabase;
  let folder: string;
  let servers: ServerProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-processes-'));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    servers = [];
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const startAlone = (environment: Record<string, string>) => startServer({ SERVICE_DATA_DIR: folder, ...environment });

  /** Ends with the test. */
  async function start(environment: Record<string, string>): Promise<ServerProcess> {
    const server = await startAlone(environment);
    servers.push(server);
    return server;
  }

  const stores = [
    { name: 'PostgreSQL alone', redis: null },
    { name: 'PostgreSQL and Redis', redis: redisUrl },
  ].filter(({ name, redis }) => name === 'PostgreSQL alone' || redis !== null);

  describe.each(stores)('on $name', ({ redis }) => {
    const shared = {
      ...(redis !== null && {
        SERVICE_REDIS_URL: redis,
        SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
      }),
    };
    const environment = () => ({ SERVICE_NODES: '2', SERVICE_DATABASE_URL: database.url, ...shared });
    // One pair for all tests: a start takes seconds.
    let pair: ServerProcess[] = [];
    beforeAll(async () => {
      pair = await Promise.all([startAlone(environment()), startAlone(environment())]);
    });
    afterAll(() => Promise.all(pair.map((server) => server.kill())));

    it('SYS-3 LP-25 a parameter that is written on one node applies on the other within 2 s', async () => {
      const [one, other] = pair as [ServerProcess, ServerProcess];
      const token = String((await one.signIn()).body.data?.token);
      const path = '/admin/system-parameters/admin.auth.password.min-length';
      const { version, value: before } = (await one.call(path, { token })).body.data ?? {};
      const value = Number(before) + 1;
      expect((await one.call(path, { method: 'PUT', token, body: { value, version } })).status).toBe(200);
      const written = performance.now();
      const read = async () =>
        (await other.call('/public/system-parameters')).body.data?.['admin.auth.password.min-length'];
      while ((await read()) !== value && performance.now() - written < CHANGE_MILLIS) await sleep(20);
      expect(await read()).toBe(value);
      expect(performance.now() - written).toBeLessThan(CHANGE_MILLIS);
    });

    it('LGN-5 exactly five of 100 parallel wrong guesses, half to each node, are verified', async () => {
      const username = `guessed-${randomBytes(4).toString('hex')}`;
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => pair[i % 2]!.signIn({ ...wrong, username })),
      );
      // The message of a failure says what else was answered.
      const outcomes = answers.map(({ status, body }) => `${status} ${body.code}`);
      expect(outcomes.filter((outcome) => outcome !== '429 LOGIN_LOCKED')).toEqual(Array(5).fill('401 LOGIN_FAILED'));
    });

    it('LP-52 after four failures and kill -9, one more locks', async () => {
      const username = `killed-${randomBytes(4).toString('hex')}`;
      const [second, first] = pair as [ServerProcess, ServerProcess];
      for (let i = 0; i < 4; i += 1) expect((await first.signIn({ ...wrong, username })).status).toBe(401);
      await first.kill();
      // It has heard of none of them.
      expect((await second.signIn({ ...wrong, username })).status).toBe(401);
      expect((await second.signIn({ ...wrong, username })).status).toBe(429);
    });
  });

  it('OPS-3 OPS-4 the programs report production errors, and in safe mode no worker starts', async () => {
    build();
    const program = (name: string, environment: Record<string, string>, ...argv: string[]) => {
      const path = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
      const env = { PATH: process.env.PATH, SERVICE_DATA_DIR: join(folder, 'none'), ...environment };
      return spawnSync(process.execPath, [path, ...argv], { env, encoding: 'utf8' });
    };
    const preflight = program('commands/preflight', { SERVICE_TRUSTED_PROXIES: 'true' }, '--json');
    expect(preflight.status).toBe(1);
    const ids = JSON.parse(preflight.stdout).items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['config.trusted-proxies', 'config.auth.token.key']));

    const server = program('server', { SERVICE_CORS_ORIGINS: 'http://admin.sallyport.cn' });
    expect([server.status, server.stdout]).toEqual([1, '']);
    for (const id of ['config.auth.token.key', 'config.audit.chain-key', 'proxies.none', 'https.cors-origin']) {
      expect(server.stderr).toContain(`[${id}]`);
    }

    const worker = program('commands/notification-worker', {
      SERVICE_PROFILE: 'development',
      SERVICE_DATABASE_URL: database.url,
      SERVICE_SAFE_MODE: 'true',
    });
    expect([worker.status, worker.stderr]).toEqual([1, expect.stringContaining('SERVICE_SAFE_MODE is on')]);
  });

  it('LP-52 OPS-9 with the embedded database, failures survive kill -9 as well', async () => {
    const own = { SERVICE_DATA_DIR: join(folder, 'embedded') };
    const first = await start(own);
    for (let i = 0; i < 4; i += 1) expect((await first.signIn(wrong)).status).toBe(401);
    await first.kill();
    const second = await start(own);
    expect((await second.signIn(wrong)).status).toBe(401);
    expect((await second.signIn()).status).toBe(429);
  });
});
