import { Cluster, Redis } from 'ioredis';
import postgres from 'postgres';
import { type Site, volatileStateOf } from './scenarios/scenario.js';

/** Direct access to the store of sessions, nonces and captchas, because the server is under test. */
export interface VolatileStore {
  read(key: string): Promise<string | null>;
  /** Shortens the remaining lifetime of entries with a key prefix, as if the store's clock had advanced. */
  age(keyPrefix: string, millis: number): Promise<void>;
  close(): Promise<void>;
}

export function openVolatileStore(
  site: Pick<Site, 'databaseUrl' | 'store' | 'redis' | 'redisCluster'>,
  fleetPrefix: string,
): VolatileStore {
  const { redisUrl, isCluster } = volatileStateOf(site);
  return redisUrl === null ? inPostgres(site.databaseUrl) : inRedis(redisUrl, isCluster, fleetPrefix);
}

function inRedis(url: string, isCluster: boolean, fleetPrefix: string): VolatileStore {
  const client = isCluster ? new Cluster([url]) : new Redis(url);
  // A scenario may stop Redis; the client connects again.
  client.on('error', () => {});

  async function ageOne(key: string, millis: number): Promise<void> {
    const remaining = await client.pttl(key);
    if (remaining > millis) await client.pexpire(key, remaining - millis);
    else await client.del(key);
  }

  return {
    read: (key) => client.get(fleetPrefix + key),
    async age(keyPrefix, millis) {
      const nodes = 'nodes' in client ? client.nodes('master') : [client];
      const found = await Promise.all(nodes.map((node) => node.keys(`${fleetPrefix}${keyPrefix}*`)));
      await Promise.all(found.flat().map((key) => ageOne(key, millis)));
    },
    close: async () => client.disconnect(),
  };
}

function inPostgres(url: string): VolatileStore {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return {
    async read(key) {
      const [found] = await sql<{ value: string }[]>`select value from ttl_entries where key = ${key}`;
      return found?.value ?? null;
    },
    async age(keyPrefix, millis) {
      await sql`update ttl_entries set expires_at = expires_at - ${millis} * interval '1 millisecond'
        where starts_with(key, ${keyPrefix})`;
    },
    close: () => sql.end(),
  };
}
