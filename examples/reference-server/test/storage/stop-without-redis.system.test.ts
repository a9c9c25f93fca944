import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRedisCluster } from '../../../../scripts/redis-cluster.js';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { signIn } from '../support/test-app.js';

/** Redis as the server sees it: one node, or the nodes of a Cluster. */
interface Site {
  readonly nodes: readonly RedisProcess[];
  readonly environment: Readonly<Record<string, string>>;
  agreed(): Promise<void>;
  close(): Promise<void>;
}

async function openSingle(): Promise<Site> {
  const node = await createRedisProcess();
  await node.start();
  return {
    nodes: [node],
    environment: { SERVICE_REDIS_URL: node.url },
    agreed: async () => {},
    close: () => node.kill(),
  };
}

async function openCluster(): Promise<Site> {
  const { nodes, url, agreed, close } = await startRedisCluster(3);
  return { nodes, environment: { SERVICE_REDIS_URL: url, SERVICE_REDIS_CLUSTER: 'true' }, agreed, close };
}

const killAll = async ({ nodes }: Site) => void (await Promise.all(nodes.map((node) => node.kill())));

/** What has happened to Redis when the server is told to stop. */
const states: readonly (readonly [name: string, bringAbout: (site: Site) => Promise<void>])[] = [
  ['was killed at that moment', killAll],
  [
    'has been away for a while',
    async (site) => {
      await killAll(site);
      await sleep(1500);
    },
  ],
  [
    'does not answer since that moment',
    async ({ nodes }) => {
      for (const node of nodes) node.pause();
    },
  ],
  [
    'has not answered for a while',
    async ({ nodes }) => {
      for (const node of nodes) node.pause();
      await sleep(8000);
    },
  ],
  [
    'has just returned',
    async (site) => {
      await killAll(site);
      await sleep(1500);
      await Promise.all(site.nodes.map((node) => node.start()));
      await site.agreed();
    },
  ],
];

/** The states in which a socket or a timer could also keep the process alive. */
const lasting = states.filter(([name]) => name.endsWith('for a while'));

const sites = [
  ['Redis', 'redis-server', openSingle],
  ['a Redis Cluster', 'redis-cluster', openCluster],
] as const;

// `process.exit` would hide what keeps the process alive: here it only sets the exit code.
const endsByItself = 'data:text/javascript,process.exit=(code)=>{process.exitCode=code}';

describe.each(sites)('a stop without %s', { timeout: 180_000 }, (_name, need, open) => {
  let site: Site;
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    if (lacks(need)) return;
    [site, database] = await Promise.all([open(), createTestDatabase()]);
    folder = await mkdtemp(join(tmpdir(), 'sallyport-stop-'));
  }, 180_000);
  afterEach(async () => {
    for (const node of site?.nodes ?? []) {
      node.resume();
      await node.kill();
      await node.start();
    }
    await site?.agreed();
  });
  afterAll(async () => {
    await server?.kill();
    await site?.close();
    await database?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_DATA_DIR: folder,
    SERVICE_DATABASE_URL: database.url,
    ...site.environment,
  });

  it.skipIf(lacks(need)).each(states)('OPS-7 REL-2 the server closes if it %s', async (_, bringAbout) => {
    const app = await buildApp(readConfig(environment()));
    expect((await signIn(app)).statusCode).toBe(200);
    await bringAbout(site);
    await app.close();
  });

  it.skipIf(lacks(need)).each(lasting)(
    'OPS-7 REL-2 the process ends, with exit code 0, if it %s',
    async (_, bringAbout) => {
      server = await startServer({ ...environment(), NODE_OPTIONS: `--import=${endsByItself}` });
      expect((await server.signIn()).status).toBe(200);
      await bringAbout(site);
      server.signal('SIGTERM');
      await server.ended;
      // 1 says that the stop exceeded the grace of the process (server.ts).
      expect(server.exitCode()).toBe(0);
    },
  );
});
