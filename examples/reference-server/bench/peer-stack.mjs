// `pnpm run bench PRF-10`: compares the whole reference server with the stack that its users would otherwise build
// (`servers/peers.mjs`), both on one PostgreSQL (default settings, fsync included) and one Redis.
//
// The first row of each group is that stack with a plain audit row wherever the reference server commits a record. The
// last row is the same stack without any audit row. Every server writes its default log lines, which are discarded.
// The load generator sleeps, because the databases need the second core.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgresProcess } from '../../../scripts/postgres-process.ts';
import { createRedisProcess } from '../../../scripts/redis-process.ts';
import { compareRates, startServer } from './servers-in-turn.mjs';

const BODY = JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50' });

const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
const database = await startPostgresProcess();
const redis = await createRedisProcess();
await redis.start();

/** Each server has a database of its own on the same PostgreSQL. */
async function createDatabase(name) {
  const client = postgres(database.url, { max: 1, onnotice: () => {} });
  await client.unsafe(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
}

const peersOn = async (name, auditRows) =>
  startServer('peers', { databaseUrl: await createDatabase(name), redisUrl: redis.url, auditRows });

const audited = await peersOn('peers_audited', true);
const plain = await peersOn('peers_plain', false);
const ours = await startServer('guarded', {
  SERVICE_DATABASE_URL: await createDatabase('reference'),
  SERVICE_REDIS_URL: redis.url,
  SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400',
});

const contestants = [
  { name: 'peers, a plain audit row', server: audited },
  { name: 'reference server', server: ours },
  { name: 'peers, no audit row', server: plain },
];
const write = { method: 'POST', body: BODY, headers: { 'content-type': 'application/json' }, isKeyed: true };

for (const [what, call] of [
  ['GET without audit', { path: '/bench', status: 200 }],
  ['GET with an audit record', { path: '/bench/recorded', status: 200 }],
  ['audited idempotent write (peers: no idempotency)', { path: '/admin/payments', status: 201, ...write }],
]) {
  process.stdout.write(`${what}\n`);
  await compareRates(
    contestants.map(({ name, server }) => ({ ...call, name: `  ${name}`, server })),
    { sleeps: true },
  );
}

for (const server of [audited, plain, ours]) await server.stop();
await redis.kill();
await database.stop();
await rm(folder, { recursive: true, force: true });
