import { evictionWarning } from '@sallyport/ttl-store/redis';
import type { Cluster, Redis } from 'ioredis';
import { type Reach, reachOf, reachOfUrl } from '../config/reach.js';
import { clockItems } from './clock-skew.js';
import type { StoreCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

/** Redis holds the data that detects replays and guesses and ends sessions. It must neither lose nor disclose it. */
export const redis: StoreCheck = {
  id: 'redis',
  tables: [],
  async *run({ config, stores: { redis: client }, now }) {
    const url = config['redis-url'];
    if (url === null || client === null) return;
    yield* connectionItems(url, reachOfClient(url, client));
    yield* await evictionItems(client);
    yield* await persistenceItems(client);
    yield* await clockItems('redis', config, now, async () => {
      const [seconds, micros] = await mastersOf(client)[0]!.time();
      return Number(seconds) * 1000 + Number(micros) / 1000;
    });
  },
};

function mastersOf(client: Redis | Cluster): Redis[] {
  return 'nodes' in client ? client.nodes('master') : [client];
}

/** Uses the address of the peer if the host name is inconclusive. */
function reachOfClient(url: string, client: Redis | Cluster): Reach {
  const byName = reachOfUrl(url);
  const address = mastersOf(client)[0]?.stream?.remoteAddress;
  return byName !== 'unknown' || address === undefined ? byName : reachOf(address);
}

function* connectionItems(url: string, reach: Reach): Iterable<PreflightItem> {
  const { protocol, password } = new URL(url);
  if (reach === 'machine') return;
  const beyond = reach === 'public' ? 'a public address' : 'another machine';
  if (protocol === 'redis:') {
    yield {
      id: 'redis.clear',
      severity: reach === 'public' ? 'error' : 'warning',
      finding: `the connection to Redis is not encrypted, and leads to ${beyond}: captchas and sessions travel unencrypted`,
      fix: 'enable TLS in Redis, and use rediss: in SERVICE_REDIS_URL',
    };
  }
  if (password === '') {
    yield {
      id: 'redis.no-password',
      severity: reach === 'public' ? 'error' : 'warning',
      finding: `SERVICE_REDIS_URL has no password, and Redis is on ${beyond}: any client that can reach it can sign in as anyone`,
      fix: 'set requirepass or a separate user in Redis, and add the password to SERVICE_REDIS_URL',
    };
  }
}

/**
 * RPL-4: reports the warnings of the store. A policy that may evict is an error here; an unknown policy is a warning.
 */
async function evictionItems(client: Redis | Cluster): Promise<PreflightItem[]> {
  const warning = await evictionWarning(client);
  if (warning === null) return (await mayBeginToEvict(client)) ? [LATENT_EVICTION] : [];
  const isKnown = warning.startsWith('Redis may evict');
  const [finding = warning] = warning.split(/[.:] (?=Set|make)/);
  return [
    {
      id: isKnown ? 'redis.eviction' : 'redis.eviction-unknown',
      severity: isKnown ? 'error' : 'warning',
      finding,
      fix: 'set maxmemory-policy noeviction on the Redis that holds sessions and nonces',
    },
  ];
}

const LATENT_EVICTION: PreflightItem = {
  id: 'redis.eviction-latent',
  severity: 'warning',
  finding:
    'the maxmemory-policy of Redis evicts keys, though no maxmemory is set: with a maxmemory it would evict used nonces',
  fix: 'set maxmemory-policy noeviction',
};

async function mayBeginToEvict(client: Redis | Cluster): Promise<boolean> {
  const reports = await Promise.all(mastersOf(client).map((node) => node.info('memory')));
  return reports.some((report) => /^maxmemory_policy:(?!noeviction)\S+/m.test(report));
}

/** Without persistence a restart ends all sessions, releases all locks, and accepts used nonces and codes again. */
async function persistenceItems(client: Redis | Cluster): Promise<PreflightItem[]> {
  const reports = await Promise.all(mastersOf(client).map((node) => node.info('persistence')));
  if (
    reports.some((report) => /^aof_last_write_status:err/m.test(report) || /^rdb_last_bgsave_status:err/m.test(report))
  ) {
    return [
      {
        id: 'redis.disk',
        severity: 'error',
        finding: 'the last attempt of Redis to write to its disk failed',
        fix: 'check its log and free disk space',
      },
    ];
  }
  if (reports.every((report) => /^aof_enabled:1/m.test(report))) return [];
  return [
    {
      id: 'redis.persistence',
      severity: 'warning',
      finding:
        'Redis does not write every change to its disk (appendonly no): a restart loses sessions, locks and queued messages, and nonces of the last minutes can be used again',
      fix: 'set appendonly yes (appendfsync everysec loses one second)',
    },
  ];
}
