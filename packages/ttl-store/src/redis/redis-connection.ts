import type { Cluster, Redis } from 'ioredis';

/**
 * Yields a wait for the client to be connected. A command given to ioredis before that would sit in its offline queue,
 * which has no bound, and be carried out long after its caller was refused; so nothing is given to it before.
 * All callers share one pair of listeners, however many wait.
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
      // Made with `lazyConnect`: the first use connects. A failure is reported by 'end', or mended by a reconnection.
      if (client.status === 'wait') client.connect().catch(() => {});
    }
    await connected;
  };
}
