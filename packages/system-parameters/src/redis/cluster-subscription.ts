import { randomInt } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import type { ParameterSubscription } from '../sources/index.js';

/** Before another attempt, in milliseconds: so long after the first that fails, and longer with each. */
const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 1000;

/**
 * Listens at any node of a Cluster, which hears what is published at every other, and at another one when that goes away.
 * A Cluster client that subscribes does so too, but without a pause: with all nodes away it tries hundreds of times a
 * second, and holds something of every attempt until one succeeds.
 */
export function subscribeAtAnyNode(client: Cluster, channel: string, listener: () => void): ParameterSubscription {
  let connection: Redis | null = null;
  let pause: NodeJS.Timeout | undefined;
  let failures = 0;
  let isEnded = false;
  let heard = () => {};
  const active = new Promise<void>((resolve) => {
    heard = resolve;
  });

  function listen(): void {
    const nodes = client.nodes();
    const node = nodes[randomInt(Math.max(1, nodes.length))];
    if (node === undefined) {
      listenLater();
      return;
    }
    // One attempt each: the next one may be at another node.
    const opened = node.duplicate({ lazyConnect: true, enableOfflineQueue: true, retryStrategy: () => null });
    connection = opened;
    opened.on('error', () => {});
    opened.on('message', listener);
    opened.once('end', listenLater);
    opened.subscribe(channel).then(
      () => {
        failures = 0;
        heard();
        // What was published meanwhile is lost.
        listener();
      },
      () => opened.disconnect(),
    );
  }

  function listenLater(): void {
    if (isEnded) return;
    failures += 1;
    pause = setTimeout(listen, Math.min(FIRST_PAUSE_MILLIS * failures, LONGEST_PAUSE_MILLIS));
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
