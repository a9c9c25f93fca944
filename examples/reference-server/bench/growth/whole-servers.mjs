// Whole servers on one PostgreSQL and one Redis.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCheckpointKey } from '@sallyport/audit-log/postgres';
import postgres from 'postgres';
import { startPostgresProcess } from '../../../../scripts/postgres-process.ts';
import { createRedisProcess } from '../../../../scripts/redis-process.ts';
import { startServer } from '../servers-in-turn.mjs';

const UNLIMITED = '1000000';

/** Starts PostgreSQL and Redis. `startNodes` adds nodes that share them and their keys. */
export async function startStores() {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-growth-'));
  const database = await startPostgresProcess();
  const redis = await createRedisProcess();
  await redis.start();
  const client = postgres(database.url, { max: 2, fetch_types: false, onnotice: () => {} });
  const nodes = [];
  const environment = {
    SERVICE_DATABASE_URL: database.url,
    SERVICE_REDIS_URL: redis.url,
    SERVICE_NODES: '4',
    SERVICE_STORAGE_DIR: join(folder, 'files'),
    SERVICE_AUTH_TOKEN_KEY: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
    SERVICE_AUTH_SECOND_FACTOR_KEY: `test:${randomBytes(32).toString('base64')}`,
    SERVICE_AUDIT_CHAIN_KEY: `growth:${randomBytes(32).toString('hex')}`,
    SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('localhost/growth').privateKey,
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
    SERVICE_RATE_LIMIT_MAX_REQUESTS: UNLIMITED,
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: UNLIMITED,
    SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  };
  return {
    client,
    nodes,
    async addNode(more = {}) {
      const node = await startServer('guarded', { ...environment, ...more });
      nodes.push(node);
      return node;
    },
    async stop() {
      for (const node of nodes) await node.stop();
      await client.end({ timeout: 5 });
      await redis.kill();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The processor time of all nodes so far, in microseconds. */
export async function cpuOf(nodes) {
  const times = await Promise.all(nodes.map((node) => node.cpu()));
  return times.reduce((sum, time) => sum + time, 0);
}
