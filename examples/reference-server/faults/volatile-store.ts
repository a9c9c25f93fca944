import { Cluster, Redis } from 'ioredis';
import postgres from 'postgres';
import { type Site, volatileStateOf } from './scenarios/scenario.js';

/** Direct access to the store of sessions, nonces and captchas, because the server is under test. */
export interface VolatileStore {
  read(key: string): Promise<string | null>;
  /** Deletes the entries with a key prefix, but for one. */
  forget(keyPrefix: string, except: string): Promise<void>;
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

  return {
    read: (key) => client.get(fleetPrefix + key),
    async forget(keyPrefix, except) {
      const nodes = 'nodes' in client ? client.nodes('master') : [client];
      // The keys of a Cluster have the number of their part in braces.
      const patterns = [`${fleetPrefix}${keyPrefix}*`, `${fleetPrefix}{*}${keyPrefix}*`];
      const found = await Promise.all(nodes.flatMap((node) => patterns.map((pattern) => node.keys(pattern))));
      const keys = found.flat().filter((key) => !key.endsWith(except));
      await Promise.all(keys.map((key) => client.del(key)));
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
    async forget(keyPrefix, except) {
      await sql`delete from ttl_entries where starts_with(key, ${keyPrefix}) and key <> ${except}`;
    },
    close: () => sql.end(),
  };
}
