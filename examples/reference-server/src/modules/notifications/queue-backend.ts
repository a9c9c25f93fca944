import {
  type ConnectionOptions,
  createPostgresBackend,
  type PostgresConnectionOptions,
  type Processor,
  Queue,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { Config } from '../../config/config.js';
import type { Database } from '../../storage/database.js';
import type { Resources } from '../../storage/opened-resources.js';
import { QUEUE_SESSION, sessionName } from '../../storage/postgres-options.js';
import type { QueueRedis } from '../../storage/queue-redis.js';
import { QUEUE_NAME, queueNameOf, queueSchemaOf } from '../../storage/queue-tables.js';
import { openQueueRedis } from '../../storage/redis.js';
import type { DeliveryOutcome } from './deliver.js';
import { openEmbeddedPool } from './embedded-pool.js';
import type { Notification } from './notification.js';

/** A job: the properties that administrators may see, and the encrypted rest. */
export interface NotificationJob {
  readonly kind: Notification['kind'];
  /** Masked. */
  readonly recipient: string;
  readonly expiresAt: number;
  /** Empty once the delivery has ended. */
  readonly sealed: string;
  /** The outcome. Stored with the job, in case the worker dies before it completes the job. */
  readonly outcome?: DeliveryOutcome;
}

export type NotificationBullQueue = Pick<
  Queue<NotificationJob, DeliveryOutcome, string>,
  'add' | 'getRanges' | 'getJob' | 'getJobCounts' | 'on' | 'waitUntilReady' | 'close'
>;
export type NotificationProcessor = Processor<NotificationJob, DeliveryOutcome, string>;
export type NotificationBullWorker = Pick<
  Worker<NotificationJob, DeliveryOutcome, string>,
  'on' | 'waitUntilReady' | 'close'
>;

/** The backend of the queue: Redis if it is configured, else the database (APP-4). */
export interface QueueBackend {
  openQueue(): NotificationBullQueue;
  openWorker(
    processor: NotificationProcessor,
    options: Omit<WorkerOptions, 'connection' | 'prefix'>,
  ): NotificationBullWorker;
  /** Ends the waiting for further jobs, before the workers are closed. */
  stopFetching(): void;
  /** Closes the connections that the backend opened, after its queues and workers. */
  close(): Promise<void>;
}

export type QueueConfig = Pick<
  Config,
  'redis-url' | 'redis-cluster' | 'redis-key-prefix' | 'database-url' | 'database-schema'
>;

export async function openQueueBackend(
  config: QueueConfig,
  { database, redis }: Pick<Resources, 'database' | 'redis'>,
): Promise<QueueBackend> {
  return redis === null
    ? inDatabase(queueNameOf(config['database-schema']), await databaseConnection(config, database))
    : inRedis(config, redis);
}

function inRedis(config: QueueConfig, redis: NonNullable<Resources['redis']>): QueueBackend {
  // One hash tag: a cluster keeps all keys of the queue in one slot.
  const prefix = `{${config['redis-key-prefix']}${QUEUE_NAME}}`;
  const opened: QueueRedis[] = [];
  const ofQueues: (Redis | Cluster)[] = [];
  return {
    openQueue() {
      const connection = duplicateOf(redis);
      ofQueues.push(connection);
      return new Queue(QUEUE_NAME, { connection, prefix });
    },
    openWorker(processor, options) {
      // A worker waits through an outage; requests do not.
      const connection = openQueueRedis(config['redis-url'] as string, config['redis-cluster']);
      opened.push(connection);
      return new Worker(QUEUE_NAME, processor, {
        ...options,
        connection: connection.client as ConnectionOptions,
        prefix,
      });
    },
    stopFetching() {
      for (const connection of opened) connection.endDuplicates();
    },
    async close() {
      for (const connection of opened.splice(0)) connection.end();
      for (const connection of ofQueues.splice(0)) connection.disconnect();
    },
  };
}

/**
 * A client like the server's, which fails at once while Redis is unavailable. BullMQ defines 64 scripts on it, and
 * ioredis copies every script of a client for each packet that it sends: on the server's own, each request would pay.
 */
function duplicateOf(redis: Redis | Cluster): Redis | Cluster {
  const own = { enableAutoPipelining: false };
  const client = 'nodes' in redis ? redis.duplicate([], own) : redis.duplicate(own);
  // Its commands report the errors of the connection.
  client.on('error', () => {});
  return client;
}

/** BullMQ's types bind a queue to its backend. The part used here is the same for every backend. */
function inDatabase(name: string, connection: PostgresConnectionOptions): QueueBackend {
  return {
    openQueue: () => new Queue(name, { connection }, createPostgresBackend) as unknown as NotificationBullQueue,
    openWorker: (processor, options) =>
      new Worker(
        name,
        processor as Processor,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as NotificationBullWorker,
    stopFetching() {},
    close: async () => {},
  };
}

const CONNECT_TIMEOUT_MILLIS = 2000;
const STATEMENT_TIMEOUT_MILLIS = 5000;

async function databaseConnection(
  config: Pick<QueueConfig, 'database-url' | 'database-schema'>,
  { embedded }: Pick<Database, 'embedded'>,
): Promise<PostgresConnectionOptions> {
  if (embedded !== null) return openEmbeddedPool(embedded);
  const url = new URL(config['database-url'] as string);
  // BullMQ adds the search path to the options, but the driver prefers those of the URL.
  const options = url.searchParams.get('options');
  url.searchParams.delete('options');
  return {
    connectionString: url.href,
    ...(options !== null && { options }),
    // Its tables were migrated with those of the server.
    schema: queueSchemaOf(config['database-schema']),
    max: 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
    statement_timeout: STATEMENT_TIMEOUT_MILLIS,
    application_name: sessionName(QUEUE_SESSION, config['database-schema']),
  };
}
