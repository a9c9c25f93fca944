import { withinDeadline } from '@sallyport/deadline';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/** Redis at the configured address can't be used. The message doesn't hold the address, which may hold a password. */
class RedisUnreachableError extends Error {
  override readonly name = 'RedisUnreachableError';
  constructor(cause: unknown) {
    super('Redis at SERVICE_REDIS_URL could not be reached; check the address and that it is running', { cause });
  }
}

/**
 * The stores wait for an answer at most this long, in milliseconds. Two of them, the first of which just came through,
 * fit into the two seconds after which a client has its 503 (REL-2).
 */
export const REDIS_LIMIT_MILLIS = 750;

/** The longest wait before another attempt to connect, in milliseconds. */
const RECONNECT_MILLIS = 1000;

/** The longest wait for a connection to be made, in milliseconds: a machine that is busy starting must not miss it. */
const CONNECT_LIMIT_MILLIS = 2000;

/**
 * A connection on which nothing has come for so long, in milliseconds, while something was asked, is given up and made
 * anew: its other end may be gone without a word, which TCP finds out after a quarter of an hour.
 */
const SILENCE_LIMIT_MILLIS = 5000;

/** How long the start waits for Redis, in milliseconds. */
const START_LIMIT_MILLIS = 5000;

// A command never waits in a queue for a connection to come: a request that needs Redis while it is away is refused at
// once (TOK-11), and the client reconnects by itself. No timeout of commands: the client's is a plain timer, and a
// process that stood still would refuse answers that are there. Whoever sends a command has a deadline of his own.
const options = {
  connectTimeout: CONNECT_LIMIT_MILLIS,
  socketTimeout: SILENCE_LIMIT_MILLIS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, RECONNECT_MILLIS),
} satisfies RedisOptions;

/** Connects to Redis, or to the cluster that one of its nodes belongs to. */
export async function openRedis(url: string, isCluster: boolean): Promise<Redis | Cluster> {
  const client = isCluster ? createCluster(url) : new Redis(url, { ...options, lazyConnect: true });
  // An error of the connection is told to every command that meets it; without a listener it would also be printed.
  client.on('error', () => {});
  try {
    const connected = client.connect().then(() => client.ping());
    await withinDeadline(connected, START_LIMIT_MILLIS, () => new Error('no answer in time'));
  } catch (error) {
    client.disconnect();
    throw new RedisUnreachableError(error);
  }
  return client;
}

/**
 * A client for whoever waits for work: its commands may block, and wait for Redis to come back. It connects by itself.
 */
export function openQueueRedis(url: string, isCluster: boolean): Redis | Cluster {
  const client = isCluster
    ? createCluster(url, { enableOfflineQueue: true }, { maxRetriesPerRequest: null })
    : new Redis(url, {
        connectTimeout: CONNECT_LIMIT_MILLIS,
        maxRetriesPerRequest: null,
        retryStrategy: options.retryStrategy,
      });
  client.on('error', () => {});
  return client;
}

function createCluster(
  url: string,
  own: Pick<ClusterOptions, 'lazyConnect' | 'enableOfflineQueue' | 'enableAutoPipelining'> = {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
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
