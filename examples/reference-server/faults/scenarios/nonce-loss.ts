import postgres from 'postgres';
import { APPEND_ALWAYS, type LosableRedis, openLosableRedis } from '../losable-redis.js';
import { MARKED_STORES, type MarkedStore } from '../marked-stores.js';
import { type Loss, loseInTurn } from '../observed-loss.js';
import type { Finding } from '../observed-run.js';
import { shippedGate } from '../shipped-settings.js';
import { appendOnlyLosses, clusterLosses, redisLosses, withNodesStopped } from '../store-losses.js';
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
      lose: (shared) => withNodesStopped(shared, () => sql`truncate ttl_entries`),
    });
    return await loseInTurn(site, shared, losses);
  } finally {
    await shared.close();
    await sql.end();
  }
}

async function loseInRedis(site: Site): Promise<Finding[]> {
  return [
    ...(await loseOn(site, await openLosableRedis(), redisLosses)),
    ...(await loseOn(site, await openLosableRedis(...APPEND_ALWAYS), appendOnlyLosses)),
    ...(await loseOn(site, await openLosableRedis(), farAheadLosses, `${WINDOW_SECONDS}`)),
  ];
}

async function loseOn(
  site: Site,
  losable: LosableRedis,
  lossesOf: (losable: LosableRedis) => readonly Loss[],
  window = '300',
): Promise<Finding[]> {
  const environment = { ...shippedGate, SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS: window };
  try {
    const shared = await startSharedFleet(site, { redisUrl: losable.url, environment });
    try {
      return await loseInTurn(site, shared, lossesOf(losable));
    } finally {
      await shared.close();
    }
  } finally {
    await losable.close();
  }
}

const farAheadLosses = ({ client }: LosableRedis): readonly Loss[] => [
  {
    fault: `flush, a client ${FAR_AHEAD_MILLIS / 1000} s ahead`,
    aheadMillis: FAR_AHEAD_MILLIS,
    lose: () => client.flushall(),
  },
  {
    fault: `flush, a client ${LESS_FAR_AHEAD_MILLIS / 1000} s ahead, and all nodes restarted`,
    aheadMillis: LESS_FAR_AHEAD_MILLIS,
    lose: (shared) => withNodesStopped(shared, () => client.flushall()),
  },
];

async function loseInCluster(site: Site): Promise<Finding[]> {
  const shared = await startSharedFleet(site, { environment: shippedGate });
  try {
    return await loseInTurn(site, shared, clusterLosses(site.redisCluster!));
  } finally {
    await shared.close();
  }
}
