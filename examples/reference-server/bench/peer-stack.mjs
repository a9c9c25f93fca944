// `pnpm run bench PRF-10`: compares the whole reference server with the stack that its users would otherwise build
// (`servers/peers.mjs`), on routes that people call, both on one PostgreSQL and one Redis, with and without fsync.
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

/** Rows of the list when the measurement begins. */
const PAYMENTS = 1000;

const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
const redis = await createRedisProcess();
await redis.start();

/** @param {string[]} settings of PostgreSQL */
async function measure(settings) {
  const database = await startPostgresProcess(...settings);

  /** Runs `use` on a database of its own. */
  async function inDatabase(name, use) {
    const client = postgres(Object.assign(new URL(database.url), { pathname: `/${name}` }).href, {
      max: 1,
      onnotice() {},
    });
    await use(client);
    await client.end();
  }
  async function createDatabase(name) {
    await inDatabase('postgres', (client) => client.unsafe(`create database ${name}`));
    return Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
  }
  async function startOn(name, server, environmentOf) {
    const redisPrefix = `${name}:`;
    const started = await startServer(server, environmentOf(await createDatabase(name), redisPrefix));
    await inDatabase(name, async (client) => {
      await client`
        insert into payments (id, payee, amount, created_by)
        select gen_random_uuid(), 'Payee ' || n, 12.50, gen_random_uuid() from generate_series(1, ${PAYMENTS}) as n`;
      await client`analyze payments`;
    });
    return started;
  }
  const peersOn = (name, auditRows, maxRequests) =>
    startOn(name, 'peers', (databaseUrl) => ({ databaseUrl, redisUrl: redis.url, auditRows, maxRequests }));
  const oursOn = (name, maxRequests) =>
    startOn(name, 'guarded', (databaseUrl, redisPrefix) => ({
      SERVICE_DATABASE_URL: databaseUrl,
      SERVICE_REDIS_URL: redis.url,
      SERVICE_REDIS_KEY_PREFIX: redisPrefix,
      SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, `${settings.length}-${name}`),
      SERVICE_RATE_LIMIT_MAX_REQUESTS: maxRequests,
      SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400',
    }));

  const audited = await peersOn('peers_audited', true);
  const plain = await peersOn('peers_plain', false);
  const ours = await oursOn('reference', '1000000');
  const limitedPeers = await peersOn('peers_limited', true, 1);
  const limited = await oursOn('reference_limited', '1');

  const contestants = [
    { name: 'peers, a plain audit row', server: audited },
    { name: 'reference server', server: ours },
    { name: 'peers, no audit row', server: plain },
  ];
  const write = { method: 'POST', body: BODY, headers: { 'content-type': 'application/json' }, isKeyed: true };

  for (const [what, call, compared = contestants] of [
    ['GET /admin/profile', { path: '/admin/profile', status: 200 }],
    ['GET /admin/payments', { path: '/admin/payments', status: 200 }],
    ['POST /admin/payments (peers: no idempotency)', { path: '/admin/payments', status: 201, ...write }],
    [
      'GET /admin/profile, 429',
      { path: '/admin/profile', status: 429 },
      [
        { name: 'peers', server: limitedPeers },
        { name: 'reference server', server: limited },
      ],
    ],
  ]) {
    process.stdout.write(`${what}\n`);
    await compareRates(
      compared.map(({ name, server }) => ({ ...call, name: `  ${name}`, server })),
      { sleeps: true },
    );
  }
  for (const server of [audited, plain, ours, limitedPeers, limited]) await server.stop();
  await database.stop();
}

for (const [what, settings] of [
  ['fsync on', []],
  ['fsync off', ['-c', 'fsync=off']],
]) {
  process.stdout.write(`${what}\n`);
  await measure(settings);
}
await redis.kill();
await rm(folder, { recursive: true, force: true });
