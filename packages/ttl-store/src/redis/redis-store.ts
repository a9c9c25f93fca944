import { hasMethods, option, readOptions } from '@sallyport/plugin-kit/options';
import type { Cluster, Redis } from 'ioredis';
import {
  assertExpected,
  assertIncrement,
  assertKey,
  assertKeys,
  assertWrite,
  notACounter,
  type TtlStore,
} from '../contract/index.js';
import { createStoreCall } from '../store-call.js';
import { DEFAULT_TIMEOUT_MILLIS, keyPrefixRule, StoreSetupError, timeoutRule } from '../store-options.js';
import { createRedisChanges } from './redis-changes.js';
import { createConnectionWait, isCluster, replicaFaults, warnOfResends } from './redis-connection.js';
import { createRedisLists } from './redis-lists.js';
import { createRedisMarks } from './redis-marks.js';
import { defineScripts } from './redis-scripts.js';
import { isScriptLost } from './script-calls.js';

export interface RedisStoreOptions {
  /**
   * An ioredis client, single or Cluster, with or without `enableAutoPipelining`. Required. A client that reads from
   * replicas (`scaleReads`, `readOnly`, `role: 'slave'`) is refused. The store never closes it.
   */
  readonly client: Redis | Cluster;
  /**
   * The prefix of every key, 1 to 256 bytes of UTF-8. Required: it separates this store's keys from others in the
   * Redis.
   */
  readonly keyPrefix: string;
  /**
   * How long a verb waits for a connection and the answer together, in milliseconds, 1 to 60 000. Then it rejects with
   * `StoreUnavailableError`. Default 1000.
   */
  readonly timeoutMillis?: number;
}

export const REDIS_STORE_DEFAULTS = {
  timeoutMillis: DEFAULT_TIMEOUT_MILLIS,
} as const satisfies Partial<RedisStoreOptions>;

const CLIENT_METHODS = ['defineCommand', 'eval', 'evalsha'];

const rules = {
  client: option<Redis | Cluster>({
    meaning: 'a client of ioredis: new Redis(…) or new Cluster(…)',
    accepts: (value) => hasMethods(value, CLIENT_METHODS),
    faults: replicaFaults,
  }),
  keyPrefix: keyPrefixRule(),
  timeoutMillis: timeoutRule,
};

/**
 * A store on Redis 5 or later, or Valkey. Each verb is one command and one round trip. On a Cluster, each command uses
 * one slot.
 *
 * @example
 * ```ts
 * const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
 *   enableAutoPipelining: true, // one packet for the commands of one turn of the event loop
 *   autoResendUnfulfilledCommands: false, // a command whose answer was lost is an error, and is not carried out twice
 *   socketTimeout: 5000, // a connection that hangs is replaced
 * });
 * app.addHook('onClose', () => client.disconnect());
 *
 * const store = createRedisStore({ client, keyPrefix: 'visits:' });
 * const warning = await evictionWarning(client);
 * if (warning !== null) app.log.warn(warning);
 * ```
 */
export function createRedisStore(options: RedisStoreOptions): TtlStore {
  refuseClientAlone(options);
  const { client, keyPrefix, timeoutMillis } = readOptions<Required<RedisStoreOptions>>(
    { subject: 'createRedisStore', SetupError: StoreSetupError },
    options,
    rules,
  );

  warnOfResends(client);
  const scripts = defineScripts(client);
  const untilConnected = createConnectionWait(client);
  const bounded = createStoreCall(timeoutMillis);

  function send<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    return bounded(async (caller) => {
      const attempt = async () => {
        await untilConnected();
        if (caller.gaveUp) throw new Error('The caller was refused already');
        return command();
      };
      try {
        return await attempt();
      } catch (error) {
        if (!isScriptLost(error)) throw error;
        return attempt();
      }
    });
  }

  async function writeIfAbsent(key: string, value: string, ttlMillis: number): Promise<boolean> {
    return (await send(() => client.set(keyPrefix + key, value, 'PX', ttlMillis, 'NX'))) === 'OK';
  }

  return {
    lifetime: 'shared',

    async setIfAbsent(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      return writeIfAbsent(key, value, ttlMillis);
    },

    async get(key) {
      assertKey(key);
      return send(() => client.get(keyPrefix + key));
    },

    async getAll(keys) {
      assertKeys(keys);
      if (keys.length === 0) return [];
      const names = keys.map((key) => keyPrefix + key);
      // MGET takes keys of one slot only.
      return send(() => (isCluster(client) ? Promise.all(names.map((name) => client.get(name))) : client.mget(names)));
    },

    async set(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      await send(() => client.set(keyPrefix + key, value, 'PX', ttlMillis));
    },

    async take(key) {
      assertKey(key);
      return (await send(() => scripts.take(keyPrefix + key))) as string | null;
    },

    async increment(key, ttlMillis, by = 1) {
      assertIncrement(key, ttlMillis, by);
      const reply = await send(() => scripts.increment(keyPrefix + key, String(ttlMillis), String(by)));
      if (!Array.isArray(reply)) throw notACounter();
      const [value, remainingMillis] = reply;
      return { value: Number(value), remainingMillis: Math.max(1, Number(remainingMillis)) };
    },

    async compareAndSet(key, expected, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      if (expected === null) return writeIfAbsent(key, value, ttlMillis);
      assertExpected(expected);
      return Number(await send(() => scripts.compareAndSet(keyPrefix + key, expected, value, String(ttlMillis)))) === 1;
    },

    async compareAndDelete(key, expected) {
      assertKey(key);
      assertExpected(expected);
      return Number(await send(() => scripts.compareAndDelete(keyPrefix + key, expected))) === 1;
    },

    async delete(key) {
      assertKey(key);
      return Number(await send(() => client.del(keyPrefix + key))) === 1;
    },

    ...(!isCluster(client) && { changeAll: createRedisChanges({ keyPrefix, scripts, send }) }),

    // All processes with this prefix ask the same master of a Cluster, so that they have the same clock.
    time: async () => Number(await send(() => scripts.time(keyPrefix))),

    marks: createRedisMarks({ client, keyPrefix, scripts, send }),
    lists: createRedisLists({ keyPrefix, scripts, send }),
  };
}

/** Otherwise, each of a client's many members would be an unknown option. Requirement ADP-1. */
function refuseClientAlone(given: unknown): void {
  if (!hasMethods(given, CLIENT_METHODS)) return;
  throw new StoreSetupError('createRedisStore', ['a client is given instead of options: write { client, keyPrefix }']);
}
