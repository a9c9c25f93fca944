import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgresProcess } from './postgres-process.js';
import { createRedisProcess, redisServerMajor } from './redis-process.js';
import { templateFile } from './test-embedded.js';
import { describeMissing, findMissing } from './test-needs.js';

/**
 * Real services for the whole test run: Redis and PostgreSQL, each taken from `TEST_REDIS_URL` and
 * `TEST_DATABASE_URL`, else started here on a free loopback port and stopped at the end.
 * A test reads their addresses with `inject('redisUrl')` and `inject('databaseUrl')`.
 *
 * `redisUrl` is null on a machine without `redis-server`. `lacks` of `test-needs.ts` skips what needs it.
 */
declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string | null;
    databaseUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_REDIS_URL: givenRedis, TEST_DATABASE_URL: givenDatabase } = process.env;
  const missing = findMissing();
  project.provide('missing', missing);
  const notice = describeMissing(missing);
  if (notice !== null) process.stderr.write(`\n${notice}\n\n`);
  // Sources do not change while tests run: the first file that needs the build looks whether it is up to date.
  const marks = await mkdtemp(join(tmpdir(), 'sallyport-build-'));
  process.env.BUILD_MARK = join(marks, 'built');
  const stops = [() => rm(marks, { recursive: true, force: true })];
  const stop = async () => {
    await Promise.all(stops.map((stopOne) => stopOne()));
  };
  try {
    project.provide('redisUrl', givenRedis || (await startRedis(stops)));
    const [databaseUrl] = await Promise.all([givenDatabase || startPostgres(stops), templateFile()]);
    project.provide('databaseUrl', databaseUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function startRedis(stops: (() => Promise<void>)[]): Promise<string | null> {
  if (redisServerMajor === null) return null;
  const redis = await createRedisProcess();
  stops.push(redis.kill);
  await redis.start();
  return redis.url;
}

async function startPostgres(stops: (() => Promise<void>)[]): Promise<string> {
  // Test files run side by side, each with pools of its own; what they write need not outlive the run. Vacuuming would
  // connect to each of their databases in turn.
  const settings = ['max_connections=200', 'fsync=off', 'full_page_writes=off', 'autovacuum=off'];
  const postgres = await startPostgresProcess(...settings.flatMap((setting) => ['-c', setting]));
  stops.push(postgres.stop);
  return postgres.url;
}
