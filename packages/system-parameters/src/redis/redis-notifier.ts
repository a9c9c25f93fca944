import { randomInt } from 'node:crypto';
import { callback, objectWith, option, optional, readOptions } from '@sallyport/plugin-kit/options';
import type { Cluster, Redis } from 'ioredis';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier, ParameterSubscription } from '../sources/index.js';

export interface RedisNotifierOptions {
  /** An ioredis client, single or Cluster, that publishes. Required. The notifier never closes it. */
  readonly client: Redis | Cluster;
  /** The pub/sub channel, one per service on a Redis, such as `my-service:system-parameters`. Required. */
  readonly channel: string;
  /**
   * Makes the connection that subscribes; the notifier closes it. Default: a duplicate of `client`. For a Cluster, a
   * connection to any node, or to another one if that node is unavailable.
   */
  readonly connect?: () => Redis | Cluster;
}

interface CheckedOptions extends Omit<RedisNotifierOptions, 'connect'> {
  readonly connect: (() => Redis | Cluster) | undefined;
}

const rules = {
  client: objectWith<Redis | Cluster>({
    methods: ['publish'],
    meaning: 'a client of ioredis: new Redis(…) or new Cluster(…)',
  }),
  channel: option<string>({
    meaning: "a text, such as 'my-service:system-parameters'",
    accepts: (value) => typeof value === 'string' && value !== '',
  }),
  connect: optional(callback<CheckedOptions['connect']>({ that: 'makes a client of ioredis' })),
};

/** The pause before the next attempt, in milliseconds. It grows by the first value with each failure. */
const FIRST_PAUSE_MILLIS = 50;
const MAX_PAUSE_MILLIS = 1000;

/**
 * Change notification by pub/sub on Redis, single or Cluster, or Valkey.
 *
 * @example
 * ```ts
 * const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
 * const app = Fastify();
 * await app.register(systemParameters, {
 *   tables: [{ definitions: {} }],
 *   source: createMemorySource(), // createPostgresSource, as above
 *   notifier: createRedisNotifier({ client, channel: 'my-service:system-parameters' }),
 * });
 * ```
 */
export function createRedisNotifier(options: RedisNotifierOptions): ParameterNotifier {
  const { client, channel, connect } = readOptions<CheckedOptions>(
    { subject: 'createRedisNotifier', SetupError: SystemParametersSetupError },
    options,
    rules,
  );

  return {
    async publish() {
      await client.publish(channel, '');
    },

    subscribe(listener) {
      if (connect === undefined && 'nodes' in client) return subscribeToAnyNode(client, channel, listener);
      const subscriber = connect?.() ?? duplicate(client as Redis);
      // ioredis reconnects by itself. Without a listener it would write every failure to the console.
      subscriber.on('error', () => {});
      subscriber.on('message', listener);
      // It also subscribes again. Messages published in between are lost.
      subscriber.on('ready', listener);
      return {
        active: subscriber.subscribe(channel).then(() => {}),
        async end() {
          subscriber.off('message', listener).off('ready', listener);
          subscriber.disconnect();
        },
      };
    },
  };
}

/** A connection that only subscribes, and waits for Redis without a limit. */
function duplicate(client: Redis): Redis {
  return client.duplicate({ enableOfflineQueue: true, lazyConnect: false, maxRetriesPerRequest: null });
}

/**
 * Subscribes to one node of a Cluster, because every node receives the messages of all nodes, and to another node if
 * that one is unavailable. A subscribing Cluster client would do the same without pauses. If all nodes are unavailable,
 * it tries hundreds of times a second, and keeps memory for every attempt until one succeeds.
 */
function subscribeToAnyNode(client: Cluster, channel: string, listener: () => void): ParameterSubscription {
  let connection: Redis | null = null;
  let pause: NodeJS.Timeout | undefined;
  let failures = 0;
  let isEnded = false;
  let becomeActive = () => {};
  const active = new Promise<void>((resolve) => {
    becomeActive = resolve;
  });

  function listen(): void {
    const nodes = client.nodes();
    const node = nodes[randomInt(Math.max(1, nodes.length))];
    if (node === undefined) {
      listenLater();
      return;
    }
    // One attempt per connection, because the next one may be to another node.
    const opened = node.duplicate({ lazyConnect: true, enableOfflineQueue: true, retryStrategy: () => null });
    connection = opened;
    opened.on('error', () => {});
    opened.on('message', listener);
    opened.once('end', listenLater);
    opened.subscribe(channel).then(
      () => {
        failures = 0;
        becomeActive();
        // Messages published in between are lost.
        listener();
      },
      () => opened.disconnect(),
    );
  }

  function listenLater(): void {
    if (isEnded) return;
    failures += 1;
    pause = setTimeout(listen, Math.min(FIRST_PAUSE_MILLIS * failures, MAX_PAUSE_MILLIS));
  }

  listen();
  return {
    active,
    async end() {
      isEnded = true;
      clearTimeout(pause);
      connection?.off('message', listener);
      connection?.disconnect();
    },
  };
}
