import { drizzle } from 'drizzle-orm/pglite';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { MARKED_STORES, type MarkedStore } from '../../faults/marked-stores.js';
import { rpl7 } from '../../faults/scenarios/clock-step.js';
import { rpl6 } from '../../faults/scenarios/nonce-loss.js';
import { readConfig } from '../../src/config/config.js';
import type { Database } from '../../src/storage/database.js';
import { createStores } from '../../src/storage/resources.js';

const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
const REDIS_URL = 'redis://127.0.0.1:1';

/** Every way to keep the server's nonces, by the settings that choose it. */
const settings = [undefined, DATABASE_URL].flatMap((database) =>
  [undefined, REDIS_URL].flatMap((redis) =>
    ['false', 'true'].map((cluster) => ({
      ...(database !== undefined && { SERVICE_DATABASE_URL: database }),
      ...(redis !== undefined && { SERVICE_REDIS_URL: redis, SERVICE_REDIS_CLUSTER: cluster }),
    })),
  ),
);

type Settings = (typeof settings)[number];

function storeOf({ SERVICE_DATABASE_URL: database, SERVICE_REDIS_URL: redis, ...rest }: Settings): string {
  if (redis !== undefined) return rest.SERVICE_REDIS_CLUSTER === 'true' ? 'redis-cluster' : 'redis';
  return database === undefined ? 'embedded' : 'postgres';
}

const clients = {
  redis: () => new Redis({ lazyConnect: true }),
  'redis-cluster': () => new Cluster([REDIS_URL], { lazyConnect: true }),
};

/** Stores that nobody asks. */
function noncesOf(environment: Settings) {
  const store = storeOf(environment);
  const redis = store in clients ? clients[store as keyof typeof clients]() : null;
  const orm = drizzle.mock();
  const database = { orm, embedded: store === 'embedded' ? {} : null } as unknown as Database;
  return createStores(readConfig({ ...environment, SERVICE_PROFILE: 'development' }), database, redis).nonces;
}

describe('the scenarios of lost nonces and of clocks', () => {
  it('RPL-6 RPL-7 run on every store in which the server can keep nonces', () => {
    expect(new Set(settings.map(storeOf))).toEqual(new Set<string>(MARKED_STORES));
    expect(rpl6.stores).toBe(MARKED_STORES);
    expect(rpl7.stores).toBe(MARKED_STORES);
  });

  it.each([...MARKED_STORES])('RPL-6 the server keeps nonces under a mark: %s', (store: MarkedStore) => {
    const chosen = settings.filter((environment) => storeOf(environment) === store);
    expect(chosen).not.toHaveLength(0);
    for (const environment of chosen) {
      const nonces = noncesOf(environment);
      expect(nonces.lifetime).toBe('shared');
      expect(nonces.marks?.parts).toBe(store === 'redis-cluster' ? 16 : 1);
    }
  });
});
