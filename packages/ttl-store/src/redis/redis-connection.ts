import type { Cluster, Redis } from 'ioredis';

/** Whether the client is a Cluster. Only the types of ioredis are imported here, so its classes can't be compared. */
export function isCluster(client: Redis | Cluster): client is Cluster {
  return 'nodes' in client;
}

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

const warnedOf = new WeakSet<object>();

/**
 * Warns by `process.emitWarning`, once for each client, of a client that sends a command again after its connection was
 * lost. A command whose answer was lost is then carried out twice: a counter counts twice, and `setIfAbsent` misses
 * its own entry.
 */
export function warnOfResends(client: Redis | Cluster): void {
  const advice = adviceAgainstResends(client);
  if (advice === null || warnedOf.has(client)) return;
  warnedOf.add(client);
  const text = 'The client of a Redis store sends commands again, and could carry one out twice';
  process.emitWarning(`${text}. Make it with ${advice}`, { code: 'SALLYPORT_REDIS_RESENDS' });
}

function adviceAgainstResends(client: Redis | Cluster): string | null {
  // A double in a test of the application may have no options.
  if (isCluster(client)) return client.options?.retryDelayOnFailover === 0 ? null : '{ retryDelayOnFailover: 0 }';
  const { autoResendUnfulfilledCommands, maxRetriesPerRequest } = client.options ?? {};
  if (autoResendUnfulfilledCommands === false || maxRetriesPerRequest === 0) return null;
  return '{ autoResendUnfulfilledCommands: false }';
}

/**
 * The faults of a client that sends reads to replicas. They lag behind their master, so that `get` would miss what was
 * written just before.
 */
export function replicaFaults(client: Redis | Cluster, name: string): readonly string[] {
  const advice = adviceAgainstReplicas(client);
  if (advice === null) return [];
  return [`${name} reads from replicas, which lag behind what was written and acknowledged: make it ${advice}`];
}

function adviceAgainstReplicas(client: Redis | Cluster): string | null {
  if (isCluster(client)) {
    const { scaleReads = 'master' } = client.options ?? {};
    return scaleReads === 'master' ? null : "without scaleReads, or with scaleReads: 'master'";
  }
  const { role = 'master', readOnly = false } = client.options ?? {};
  if (role !== 'master') return "without role, or with role: 'master'";
  return readOnly ? 'without readOnly' : null;
}
