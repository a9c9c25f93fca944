import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { createQueueRedis, type QueueRedis } from './queue-redis.js';

/**
 * Redis can't be used at the configured address. The message does not contain the address, which may hold a password.
 */
class RedisUnreachableError extends Error {
  override readonly name = 'RedisUnreachableError';
  constructor(cause: unknown) {
    // The driver adds a request to report it.
    const why = cause instanceof Error ? cause.message.replace(/\.( .*)?$/s, '') : 'unknown reason';
    super(
      `Redis at SERVICE_REDIS_URL could not be used: ${why}; check host, port, user and password, and that it is running`,
      { cause },
    );
  }
}

/**
 * Timeout of a store operation, in milliseconds. Two operations in a row fit into the two seconds after which a client
 * has its 503 (REL-2).
 */
export const REDIS_LIMIT_MILLIS = 750;

/** Maximum delay between attempts to connect, in milliseconds. */
const RECONNECT_MILLIS = 1000;

/** Timeout of a connection attempt, in milliseconds. Long enough for a machine that is busy starting up. */
const CONNECT_LIMIT_MILLIS = 2000;

/**
 * The time without data for a command after which a connection is replaced, in milliseconds. The other end may have
 * disappeared silently, which TCP detects only after about 15 minutes.
 */
const SILENCE_LIMIT_MILLIS = 5000;

/** The time for which the start waits for Redis, in milliseconds. */
const START_LIMIT_MILLIS = 5000;

// Commands are not queued while Redis is unavailable: requests that need it are refused at once (TOK-11), and the
// client reconnects in the background. There is no command timeout, because it would be a plain timer. A process that
// was paused would reject answers that have already arrived. Callers set their own deadlines.
const options = {
  connectTimeout: CONNECT_LIMIT_MILLIS,
  socketTimeout: SILENCE_LIMIT_MILLIS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, RECONNECT_MILLIS),
} satisfies RedisOptions;

/** Connects to Redis, or to the cluster of the named node. */
export async function openRedis(url: string, isCluster: boolean): Promise<Redis | Cluster> {
  const client = isCluster ? createCluster(url) : new Redis(url, { ...options, lazyConnect: true });
  // Commands report connection errors. Without a listener ioredis would also print them.
  let lastError: Error | null = null;
  client.on('error', (error: Error) => {
    lastError = error;
  });
  try {
    const connected = client.connect().then(() => client.ping());
    await withinDeadline(connected, START_LIMIT_MILLIS, () => new Error('no answer in time'));
  } catch (error) {
    client.disconnect();
    // The command fails with "Connection is closed".
    throw new RedisUnreachableError(lastError ?? error);
  }
  return client;
}

/** A client for queue workers. Its commands may block, and wait for Redis to return. It connects in the background. */
export function openQueueRedis(url: string, isCluster: boolean): QueueRedis {
  const client = isCluster
    ? createCluster(url, { enableOfflineQueue: true }, { maxRetriesPerRequest: null })
    : new Redis(url, {
        connectTimeout: CONNECT_LIMIT_MILLIS,
        maxRetriesPerRequest: null,
        retryStrategy: options.retryStrategy,
      });
  client.on('error', () => {});
  return createQueueRedis(client);
}

function createCluster(
  url: string,
  own: Pick<ClusterOptions, 'lazyConnect' | 'enableOfflineQueue' | 'enableAutoPipelining' | 'retryDelayOnFailover'> = {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    // A command whose answer was lost would be sent again, and carried out twice.
    retryDelayOnFailover: 0,
  },
  ownOfNodes: Pick<RedisOptions, 'socketTimeout' | 'maxRetriesPerRequest'> = { socketTimeout: options.socketTimeout },
): Cluster {
  const { hostname: host, port, username, password, protocol } = new URL(url);
  return new Cluster([{ host, port: port === '' ? 6379 : Number(port) }], {
    ...own,
    clusterRetryStrategy: options.retryStrategy,
    redisOptions: {
      connectTimeout: options.connectTimeout,
      ...ownOfNodes,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}
