import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';

// Each script uses KEYS[1] and no other key, so that it runs on any Redis Cluster.

/**
 * KEYS[1]; ARGV: TTL, amount. Returns value and remaining TTL, or nil if the value or the sum is not a safe integer.
 * The value is text, because the integer replies of ioredis are off by one near 2^53.
 */
const INCREMENT = `
local present = redis.call('GET', KEYS[1])
if not present then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
  return { ARGV[2], tonumber(ARGV[1]) }
end
if present ~= '0' and (#present > 17 or not string.match(present, '^%-?[1-9]%d*$')) then return false end
local sum = tonumber(present) + tonumber(ARGV[2])
local most = ${Number.MAX_SAFE_INTEGER}
if math.abs(tonumber(present)) > most or math.abs(sum) > most then return false end
redis.call('INCRBY', KEYS[1], ARGV[2])
local remaining = redis.call('PTTL', KEYS[1])
if remaining == -1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  remaining = tonumber(ARGV[1])
end
return { string.format('%.0f', sum), remaining }
`;

/** KEYS[1]. The command GETDEL does the same, from Redis 6.2 on. */
const TAKE = `
local present = redis.call('GET', KEYS[1])
if present then redis.call('DEL', KEYS[1]) end
return present
`;

/** KEYS[1]; ARGV: expected value, new value, TTL. */
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** KEYS[1]; ARGV: expected value. */
const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/**
 * KEYS[1], which is not read: it chooses the master of a Cluster. The bare command would go to any node, and each has
 * a clock of its own.
 */
const TIME = `
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
`;

type RunScript = (key: string, ...args: readonly string[]) => Promise<unknown>;

export interface RedisScripts {
  readonly take: RunScript;
  readonly increment: RunScript;
  readonly compareAndSet: RunScript;
  readonly compareAndDelete: RunScript;
  readonly time: RunScript;
}

export function defineScripts(client: Redis | Cluster): RedisScripts {
  return {
    take: define(client, 'ttlStoreTake', TAKE),
    increment: define(client, 'ttlStoreIncrement', INCREMENT),
    compareAndSet: define(client, 'ttlStoreCompareAndSet', COMPARE_AND_SET),
    compareAndDelete: define(client, 'ttlStoreCompareAndDelete', COMPARE_AND_DELETE),
    time: define(client, 'ttlStoreTime', TIME),
  };
}

/**
 * ioredis adds defined commands as methods to the client, for every user of it. The name contains a digest of the
 * script, so that any number of stores, and two versions of this package, can share a client.
 */
function define(client: Redis | Cluster, verb: string, lua: string): RunScript {
  const name = `${verb}_${createHash('sha256').update(lua).digest('hex').slice(0, 16)}`;
  if (!(name in client)) client.defineCommand(name, { numberOfKeys: 1, lua });
  const commands = client as unknown as Record<string, RunScript>;
  return (key, ...args) => (commands[name] as RunScript).call(client, key, ...args);
}
