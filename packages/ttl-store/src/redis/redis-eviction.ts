import type { Cluster, Redis } from 'ioredis';
import { createStoreCall } from '../store-call.js';
import { createConnectionWait, isCluster } from './redis-connection.js';

// The check runs at the start of an application, which may wait longer than a request.
const CHECK_TIMEOUT_MILLIS = 5000;

/**
 * A sentence for the log if this Redis may evict live entries (`maxmemory` set, and a `maxmemory-policy` other than
 * `noeviction`), or if that can't be determined; else null. It asks every master of a Cluster. Call it once at the
 * start if you rely on entries until their TTL has run out.
 *
 * @example
 * ```ts
 * const store = createRedisStore({ client, keyPrefix: 'visits:' });
 * const warning = await evictionWarning(client);
 * if (warning !== null) app.log.warn(warning);
 * ```
 */
export async function evictionWarning(client: Redis | Cluster): Promise<string | null> {
  try {
    const reports = await createStoreCall(CHECK_TIMEOUT_MILLIS)(async () => {
      await createConnectionWait(client)();
      const nodes = isCluster(client) ? client.nodes('master') : [client];
      return Promise.all(nodes.map((node) => node.info('memory')));
    });
    return reports.map(warningOf).find((warning) => warning !== null) ?? null;
  } catch (error) {
    const { cause } = error as Error;
    return unchecked(cause instanceof Error ? cause.message : 'unknown reason');
  }
}

function warningOf(info: string): string | null {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  const maxmemory = /^maxmemory:(\d+)/m.exec(info)?.[1];
  if (policy === undefined || maxmemory === undefined) return unchecked('INFO memory does not say');
  if (policy === 'noeviction' || maxmemory === '0') return null;
  return (
    `Redis may evict live entries (maxmemory-policy ${policy}, maxmemory ${maxmemory}): a used nonce or an ended ` +
    'session could be forgotten. Set maxmemory-policy to noeviction on this Redis'
  );
}

function unchecked(reason: string): string {
  return (
    `Whether Redis may evict live entries could not be checked (${reason}): ` +
    'make sure that its maxmemory-policy is noeviction'
  );
}
