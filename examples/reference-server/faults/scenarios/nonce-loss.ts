import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.js';
import { MARKED_STORES, type MarkedStore } from '../marked-stores.js';
import { type Loss, loseInTurn } from '../observed-loss.js';
import type { Finding } from '../observed-run.js';
import { shippedGate } from '../shipped-settings.js';
import { loseInEmbedded } from './nonce-loss-embedded.js';
import type { Scenario, Site } from './scenario.js';
import { startSharedFleet } from './shared-fleet.js';

/** A short window, so that the worst case is over soon: until the loss and the window. */
const WINDOW_SECONDS = 60;
const FAR_AHEAD_MILLIS = 50_000;

/** What the first loss refuses lies ahead of these stamps. */
const LESS_FAR_AHEAD_MILLIS = 25_000;

/** RPL-6: the nonce store loses what it was told. No envelope is accepted again, and honest clients are served soon. */
export const rpl6: Scenario = {
  name: 'rpl-6',
  meaning: 'the nonce store is flushed, restored, restarted, or its lagging replica is promoted',
  stores: MARKED_STORES,
  async run(site) {
    return loseIn[site.store as MarkedStore](site);
  },
};

const loseIn: Readonly<Record<MarkedStore, (site: Site) => Promise<Finding[]>>> = {
  postgres: loseInPostgres,
  redis: loseInRedis,
  'redis-cluster': loseInCluster,
  embedded: loseInEmbedded,
};

async function loseInPostgres(site: Site): Promise<Finding[]> {
  const sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
  // `pg_restore --clean` of the table does the same.
  const restore = () => sql`truncate ttl_entries`.then(() => sql`insert into ttl_entries select * from older_entries`);
  const copy = () => sql`create table older_entries as select * from ttl_entries`;
  const deleteSlowly = () =>
    sql.begin(async (transaction) => {
      await transaction`delete from ttl_entries`;
      await transaction`select pg_sleep(0.5)`;
    });
  const { postgres: server } = site;
  const crash = async () => {
    await server?.kill();
    await server?.start();
  };
  const shared = await startSharedFleet(site, { environment: shippedGate });
  try {
    const losses: Loss[] = [
      { fault: 'flush', lose: () => sql`truncate ttl_entries` },
      {
        fault: 'delete in a transaction, and replays meanwhile',
        lose: (_shared, envelopes) => Promise.all([deleteSlowly(), envelopes.replay('during the transaction')]),
      },
      { fault: 'restore of an older copy', prepare: copy, lose: restore },
    ];
    if (server !== null) losses.push({ fault: 'crash and restart', lose: crash });
    losses.push({
      fault: 'flush, and all nodes restarted',
      async lose({ fleet }) {
        await Promise.all(fleet.nodes.map((node) => node.kill()));
        await sql`truncate ttl_entries`;
        await Promise.all(fleet.nodes.map((node) => node.start()));
      },
    });
    return await loseInTurn(site, shared, losses);
  } finally {
    await shared.close();
    await sql.end();
  }
}

/** A Redis of the scenario, with its data in a folder that outlives the process, and a replica behind a link. */
async function loseInRedis(site: Site): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nonces-'));
  const persistent = await createRedisProcess('--dir', folder);
  const always = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const findings: Finding[] = [];
  try {
    findings.push(...(await withRedis(site, persistent, redisLosses)));
    findings.push(
      ...(await withRedis(site, await createRedisProcess('--dir', folder, ...always), () => [restartOf('AOF always')])),
    );
    findings.push(...(await withRedis(site, await createRedisProcess(), farAheadLosses, `${WINDOW_SECONDS}`)));
    return findings;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface RedisSite {
  readonly redis: RedisProcess;
  readonly client: Redis;
  readonly proxy: FaultProxy;
}

type LossesOf = (redisSite: RedisSite) => readonly Loss[];

async function withRedis(site: Site, redis: RedisProcess, lossesOf: LossesOf, window = '300'): Promise<Finding[]> {
  await redis.start();
  const proxy = await startFaultProxy(redis.port);
  const client = new Redis(redis.url, { retryStrategy: () => 50 });
  client.on('error', () => {});
  const losses = lossesOf({ redis, client, proxy }).map((loss) =>
    loss.fault.startsWith('restart of') ? { ...loss, lose: () => restart(redis) } : loss,
  );
  const environment = { ...shippedGate, SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS: window };
  const shared = await startSharedFleet(site, { redisUrl: `redis://127.0.0.1:${proxy.port}`, environment });
  try {
    return await loseInTurn(site, shared, losses);
  } finally {
    await shared.close();
    client.disconnect();
    await proxy.close();
    await redis.kill();
  }
}

async function restart(redis: RedisProcess): Promise<void> {
  await redis.kill();
  await redis.start();
}

const restartOf = (what: string): Loss => ({ fault: `restart of a Redis with ${what}`, lose: async () => {} });

const redisLosses: LossesOf = ({ redis, client, proxy }) => {
  let replica: RedisProcess | null = null;
  let link: FaultProxy | null = null;
  return [
    { fault: 'flush', lose: () => client.flushall() },
    {
      fault: 'flush, and all nodes restarted',
      async lose({ fleet }) {
        await Promise.all(fleet.nodes.map((node) => node.kill()));
        await client.flushall();
        await Promise.all(fleet.nodes.map((node) => node.start()));
      },
    },
    { fault: 'restore of an older snapshot', prepare: () => client.save(), lose: () => restart(redis) },
    {
      fault: 'lagging replica promoted',
      async prepare() {
        link = await startFaultProxy(redis.port);
        replica = await createRedisProcess('--replicaof', '127.0.0.1', `${link.port}`);
        await replica.start();
        await isInStep(replica);
        // From here on the replica hears nothing.
        link.inject({ kind: 'black-hole' });
      },
      async lose() {
        const promoted = new Redis(replica!.url);
        await promoted.replicaof('NO', 'ONE');
        promoted.disconnect();
        proxy.redirect(replica!.port);
        await link!.close();
      },
    },
  ];
};

async function isInStep({ url }: RedisProcess): Promise<void> {
  const client = new Redis(url);
  while (!/master_link_status:up/.test(await client.info('replication'))) await sleep(50);
  client.disconnect();
}

const farAheadLosses: LossesOf = ({ client }) => [
  {
    fault: `flush, a client ${FAR_AHEAD_MILLIS / 1000} s ahead`,
    aheadMillis: FAR_AHEAD_MILLIS,
    lose: () => client.flushall(),
  },
  {
    fault: `flush, a client ${LESS_FAR_AHEAD_MILLIS / 1000} s ahead, and all nodes restarted`,
    aheadMillis: LESS_FAR_AHEAD_MILLIS,
    async lose({ fleet }) {
      await Promise.all(fleet.nodes.map((node) => node.kill()));
      await client.flushall();
      await Promise.all(fleet.nodes.map((node) => node.start()));
    },
  },
];

async function loseInCluster(site: Site): Promise<Finding[]> {
  const shared = await startSharedFleet(site, { environment: shippedGate });
  const masters = site.redisCluster!.nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  const flushAll = async () => {
    for (const master of masters) {
      // A replica refuses to write.
      await master.flushall().catch(() => {});
    }
  };
  try {
    return await loseInTurn(site, shared, [
      { fault: 'flush of one master', lose: () => masters[0]!.flushall() },
      { fault: 'flush', lose: flushAll },
    ]);
  } finally {
    for (const master of masters) master.disconnect();
    await shared.close();
  }
}
