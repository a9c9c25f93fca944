import type { Cluster, Redis } from 'ioredis';

/**
 * Returns a function that waits until the client is connected. A command sent to ioredis before that would sit in its
 * unbounded offline queue, and be carried out long after its caller was refused. All callers share one pair of
 * listeners.
 */
export function createConnectionWait(client: Redis | Cluster): () => Promise<void> {
  let connected: Promise<void> | null = null;

  function waitForReady(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const done = () => {
        client.off('ready', onReady);
        client.off('end', onEnd);
        connected = null;
      };
      const onReady = () => {
        done();
        resolve();
      };
      const onEnd = () => {
        done();
        reject(new Error('The Redis client has been closed'));
      };
      client.on('ready', onReady);
      client.on('end', onEnd);
    });
  }

  return async function untilConnected() {
    if (client.status === 'ready') return;
    if (client.status === 'end') throw new Error('The Redis client has been closed');
    if (connected === null) {
      connected = waitForReady();
      // With `lazyConnect` the first use connects. A failure ends in the event 'end', or in a reconnection.
      if (client.status === 'wait') client.connect().catch(() => {});
    }
    await connected;
  };
}
