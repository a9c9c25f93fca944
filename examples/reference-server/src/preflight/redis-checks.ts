import { evictionWarning } from '@sallyport/ttl-store/redis';
import type { Cluster, Redis } from 'ioredis';
import { type Reach, reachOf, reachOfUrl } from '../config/reach.js';
import { clockItems } from './clock-skew.js';
import type { StoreCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

/** Redis holds what makes replays, guesses and ended sessions visible: it may not forget, and not tell. */
export const redis: StoreCheck = {
  id: 'redis',
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

/** By the address at the other end, where the name says nothing. */
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
      finding: `the connection to Redis is not encrypted, and leads to ${beyond}: captchas and sessions travel in the clear`,
      fix: 'switch TLS on in Redis, and write rediss: in SERVICE_REDIS_URL',
    };
  }
  if (password === '') {
    yield {
      id: 'redis.no-password',
      severity: reach === 'public' ? 'error' : 'warning',
      finding: `SERVICE_REDIS_URL has no password, and Redis is on ${beyond}: whoever reaches it signs in as anybody`,
      fix: 'set requirepass or a user of its own in Redis, and write it into SERVICE_REDIS_URL',
    };
  }
}

/** RPL-4: one truth with the warning of the store; what may evict is an error here, what can't be asked a warning. */
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
    'the maxmemory-policy of Redis evicts, though no maxmemory is set: it would begin to forget used nonces as soon as one is',
  fix: 'set maxmemory-policy noeviction',
};

async function mayBeginToEvict(client: Redis | Cluster): Promise<boolean> {
  const reports = await Promise.all(mastersOf(client).map((node) => node.info('memory')));
  return reports.some((report) => /^maxmemory_policy:(?!noeviction)\S+/m.test(report));
}

/** A restart without anything on the disk ends all sessions, unlocks all locks, and accepts what was used before. */
async function persistenceItems(client: Redis | Cluster): Promise<PreflightItem[]> {
  const reports = await Promise.all(mastersOf(client).map((node) => node.info('persistence')));
  if (
    reports.some((report) => /^aof_last_write_status:err/m.test(report) || /^rdb_last_bgsave_status:err/m.test(report))
  ) {
    return [
      {
        id: 'redis.disk',
        severity: 'error',
        finding: 'Redis could not write to its disk the last time that it tried',
        fix: 'look into its log, and make room',
      },
    ];
  }
  if (reports.every((report) => /^aof_enabled:1/m.test(report))) return [];
  return [
    {
      id: 'redis.persistence',
      severity: 'warning',
      finding:
        'Redis does not write every change to its disk (appendonly no): after a restart of it sessions are gone, locks open, queued messages lost, and nonces of the last minutes could be used again',
      fix: 'set appendonly yes (appendfsync everysec loses one second)',
    },
  ];
}
