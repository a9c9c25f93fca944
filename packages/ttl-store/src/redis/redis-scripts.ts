import type { Cluster, Redis } from 'ioredis';
import { define, defineOnKeys, type RunOnKeys, type RunScript } from './script-calls.js';

// Except for CHANGE_ALL, each script uses KEYS[1] and no other key, so that it runs on any Redis Cluster. The two keys
// of a mark and an entry are in one slot.

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
 * KEYS; for each of them five ARGV: kind, value or amount, TTL, condition and expected value, or least and largest sum.
 * All conditions are checked before anything is written. Returns 1 and the counters, or 0 and the present values, or
 * nil as INCREMENT does.
 */
const CHANGE_ALL = `
local present = redis.call('MGET', unpack(KEYS))
local most = ${Number.MAX_SAFE_INTEGER}
local sums = {}
for i = 1, #KEYS do
  local kind, amount, condition, bound = ARGV[5 * i - 4], ARGV[5 * i - 3], ARGV[5 * i - 1], ARGV[5 * i]
  local value = present[i]
  if kind ~= 'add' then
    if condition == 'absent' and value or condition == 'is' and value ~= bound then return { 0, present } end
  else
    local text = value or '0'
    if text ~= '0' and (#text > 17 or not string.match(text, '^%-?[1-9]%d*$')) then return false end
    sums[i] = tonumber(text) + tonumber(amount)
    if math.abs(tonumber(text)) > most or math.abs(sums[i]) > most then return false end
    if sums[i] < tonumber(condition) or sums[i] > tonumber(bound) then return { 0, present } end
  end
end
local counters = {}
for i, key in ipairs(KEYS) do
  local kind, amount, ttl = ARGV[5 * i - 4], ARGV[5 * i - 3], ARGV[5 * i - 2]
  counters[i] = false
  if kind == 'set' then
    redis.call('SET', key, amount, 'PX', ttl)
  elseif kind == 'delete' then
    redis.call('DEL', key)
  elseif kind == 'add' then
    local remaining = -1
    if present[i] then
      redis.call('INCRBY', key, amount)
      remaining = redis.call('PTTL', key)
      if remaining == -1 then redis.call('PEXPIRE', key, ttl) end
    else
      redis.call('SET', key, amount, 'PX', ttl)
    end
    counters[i] = { string.format('%.0f', sums[i]), remaining == -1 and tonumber(ttl) or remaining }
  end
end
return { 1, counters }
`;

/**
 * KEYS[1] is not read; it chooses the master of a Cluster. The bare command would go to any node, and each has its own
 * clock.
 */
const TIME = `
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * KEYS[1]: the mark; ARGV: its value, run, earliest expiry. Reads the mark into locals. The run consists of the run of
 * the process and of the data. A restart changes both, and a replica that takes over has different ones.
 */
const READ_MARK = `
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local run = string.match(info, 'run_id:(%w+)') .. ':' .. string.match(info, 'master_replid:(%w+)')
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local value = redis.call('GET', KEYS[1])
local expiry = value and now + redis.call('PTTL', KEYS[1]) or 0
local holds = value == ARGV[1] and run == ARGV[2] and expiry >= tonumber(ARGV[3])
`;

/** KEYS[1]: the mark; ARGV as above, TTL. */
const KEEP_MARK = `${READ_MARK}
if holds and now + tonumber(ARGV[4]) > expiry then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  expiry = now + tonumber(ARGV[4])
end
return { holds and 1 or 0, now, run, value, expiry }
`;

/** KEYS[1]: the mark; ARGV: expected value, new value, TTL, earliest expiry, last time to write. */
const REPLACE_MARK = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if now > tonumber(ARGV[5]) or now + redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** KEYS[1]: the mark, KEYS[2]: the entry; ARGV as above, value, TTL, earliest expiry, first and last time to write. */
const SET_IF_MARKED = `${READ_MARK}
local written = 0
if holds and now >= tonumber(ARGV[7]) and now <= tonumber(ARGV[8]) then
  local ttl = string.format('%.0f', math.max(tonumber(ARGV[5]), tonumber(ARGV[6]) - now))
  if redis.call('SET', KEYS[2], ARGV[4], 'PX', ttl, 'NX') then written = 1 end
end
return { holds and 1 or 0, now, run, value, expiry, written }
`;

/** KEYS[1]: the mark, the others: entries; ARGV as above. Returns 0 if the mark does not hold. */
const GET_IF_MARKED = `${READ_MARK}
if not holds then return 0 end
return redis.call('MGET', unpack(KEYS, 2))
`;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * KEYS[1]: the items in order, KEYS[2]: the same with their expiries as scores, in one slot. Removes some expired
 * items: more than a call adds, so that they can't pile up, and too few to slow a call noticeably.
 */
const SWEEP_LIST = `${NOW}
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)
if #old > 0 then
  redis.call('ZREM', KEYS[1], unpack(old))
  redis.call('ZREM', KEYS[2], unpack(old))
end
`;

/** KEYS[1], KEYS[2] as above; ARGV: item, TTL. The two keys end a second after their last item. */
const PUT_ITEM = `${SWEEP_LIST}
redis.call('ZADD', KEYS[1], 0, ARGV[1])
redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
local ttl = string.format('%.0f', math.max(redis.call('PTTL', KEYS[2]), tonumber(ARGV[2]) + 1000))
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
return 1
`;

/** KEYS[1], KEYS[2] as above; ARGV: item. */
const REMOVE_ITEM = `${NOW}
local expiry = redis.call('ZSCORE', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return expiry and tonumber(expiry) > now and 1 or 0
`;

/**
 * KEYS[1], KEYS[2] as above; ARGV: the start as ZRANGEBYLEX takes it, limit. Returns the number of items seen, the last
 * one seen, and the live ones.
 */
const READ_LIST = `${SWEEP_LIST}
local seen = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local live = {}
for _, item in ipairs(seen) do
  if tonumber(redis.call('ZSCORE', KEYS[2], item) or 0) > now then live[#live + 1] = item end
end
return { #seen, seen[#seen] or '', live }
`;

export interface RedisScripts {
  readonly take: RunScript;
  readonly increment: RunScript;
  readonly compareAndSet: RunScript;
  readonly compareAndDelete: RunScript;
  /** Not on a Cluster. */
  readonly changeAll: RunOnKeys;
  readonly time: RunScript;
  readonly keepMark: RunScript;
  readonly replaceMark: RunScript;
  /** The first argument after the mark is the key of the entry. */
  readonly setIfMarked: RunScript;
  /** Reads this many entries. Their keys are the first arguments after the key of the mark. */
  readonly getIfMarked: (entries: BatchSize) => RunScript;
  /** The first argument after the items in order is the key of their expiries, here and below. */
  readonly putItem: RunScript;
  readonly removeItem: RunScript;
  readonly readList: RunScript;
}

/**
 * The numbers of entries that one call can read. Each has its own command. If the number of keys were the first
 * argument, ioredis would take it for the key, and would send calls for other masters of a Cluster together with it
 * (`enableAutoPipelining`).
 */
export const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128] as const;

export type BatchSize = (typeof BATCH_SIZES)[number];

export function defineScripts(client: Redis | Cluster): RedisScripts {
  const readers = new Map(
    BATCH_SIZES.map((size) => [size, define(client, `ttlStoreGet${size}IfMarked`, GET_IF_MARKED, size + 1)]),
  );
  return {
    take: define(client, 'ttlStoreTake', TAKE),
    increment: define(client, 'ttlStoreIncrement', INCREMENT),
    compareAndSet: define(client, 'ttlStoreCompareAndSet', COMPARE_AND_SET),
    compareAndDelete: define(client, 'ttlStoreCompareAndDelete', COMPARE_AND_DELETE),
    changeAll: defineOnKeys(client, CHANGE_ALL),
    time: define(client, 'ttlStoreTime', TIME),
    keepMark: define(client, 'ttlStoreKeepMark', KEEP_MARK),
    replaceMark: define(client, 'ttlStoreReplaceMark', REPLACE_MARK),
    setIfMarked: define(client, 'ttlStoreSetIfMarked', SET_IF_MARKED, 2),
    getIfMarked: (entries) => readers.get(entries) as RunScript,
    putItem: define(client, 'ttlStorePutItem', PUT_ITEM, 2),
    removeItem: define(client, 'ttlStoreRemoveItem', REMOVE_ITEM, 2),
    readList: define(client, 'ttlStoreReadList', READ_LIST, 2),
  };
}
