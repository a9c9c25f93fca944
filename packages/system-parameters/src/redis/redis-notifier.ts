import type { Cluster, Redis } from 'ioredis';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier } from '../sources/index.js';
import { subscribeAtAnyNode } from './cluster-subscription.js';

export interface RedisNotifierOptions {
  /** An ioredis client, single or Cluster, that publishes. Required. It stays yours: the notifier never closes it. */
  readonly client: Redis | Cluster;
  /** The pub/sub channel, one for each service on a Redis, such as `my-service:system-parameters`. Required. */
  readonly channel: string;
  /** Makes the connection that subscribes; the notifier closes it. Default: one like `client`; of a Cluster one to any node, and to another when that goes away. */
  readonly connect?: () => Redis | Cluster;
}

/** Change notification by pub/sub on Redis, single or Cluster, or Valkey. */
export function createRedisNotifier(options: RedisNotifierOptions): ParameterNotifier {
  const { client, channel, connect } = options;
  const faults = [
    ...(typeof client?.publish === 'function'
      ? []
      : ['client must be a client of ioredis: new Redis(…) or new Cluster(…)']),
    ...(typeof channel === 'string' && channel !== ''
      ? []
      : ["channel must be a text, such as 'my-service:system-parameters'"]),
    ...(connect === undefined || typeof connect === 'function'
      ? []
      : ['connect must be a function that makes a client of ioredis']),
  ];
  if (faults.length > 0) throw new SystemParametersSetupError(`createRedisNotifier: ${faults.join('; ')}`);

  return {
    async publish() {
      await client.publish(channel, '');
    },

    subscribe(listener) {
      if (connect === undefined && 'nodes' in client) return subscribeAtAnyNode(client, channel, listener);
      const subscriber = connect?.() ?? duplicate(client as Redis);
      // ioredis connects again by itself; without a listener it would write every failure to the console.
      subscriber.on('error', () => {});
      subscriber.on('message', listener);
      // It subscribes again as well; what was published meanwhile is lost.
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

/** A connection that only subscribes, and waits for Redis for as long as it takes. */
function duplicate(client: Redis): Redis {
  return client.duplicate({ enableOfflineQueue: true, lazyConnect: false, maxRetriesPerRequest: null });
}
