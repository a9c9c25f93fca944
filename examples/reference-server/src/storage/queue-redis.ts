import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import type { Cluster, Redis } from 'ioredis';

type Client = Redis | Cluster;

/** A client for a queue worker. It waits for Redis without a limit, and ends on request. */
export interface QueueRedis {
  /** The client for BullMQ, which duplicates it for the command that waits for a job. */
  readonly client: Client;
  /** Ends the duplicates, so that no further job is fetched. They don't connect again. */
  endDuplicates(): void;
  /** Ends the client as well. Commands without an answer reject. */
  end(): void;
}

/**
 * The time after which sockets are closed, in milliseconds. ioredis destroys a socket after 2 s (its
 * `disconnectTimeout`).
 */
const SOCKETS_CLOSED_MILLIS = 2500;

/** The message by which BullMQ recognizes that a connection was closed. */
const CLOSED_MESSAGE = 'Connection is closed.';

/**
 * Makes sure that a client and its duplicates end in bounded time. If ioredis disconnects a client that waits to
 * reconnect, it emits no `end` and leaves queued commands pending. BullMQ waits for that event before it closes a
 * worker. If it was closed while Redis was unavailable, it waited forever (taskforcesh/bullmq#4656). It also connects
 * again when a connection ends while it recovers from a failure.
 */
export function createQueueRedis(client: Client): QueueRedis {
  const duplicates: (() => void)[] = [];
  const endClient = ensureEnd(client);

  function endDuplicates(): void {
    for (const endDuplicate of duplicates.splice(0)) endDuplicate();
  }
  const duplicate = client.duplicate as (...options: readonly unknown[]) => Client;
  Object.assign(client, {
    duplicate(...options: readonly unknown[]): Client {
      const made = duplicate.apply(client, [...options]);
      duplicates.push(ensureEnd(made));
      return made;
    },
  });
  return {
    client,
    endDuplicates,
    end() {
      endDuplicates();
      endClient();
    },
  };
}

/** Makes `disconnect` of a client lead to its end in every state. The returned function also lets it never connect. */
function ensureEnd(client: Client): () => void {
  const connect = client.connect as (...parameters: readonly unknown[]) => Promise<void>;
  const disconnect = client.disconnect as (reconnect?: boolean) => void;
  let isRetired = false;
  let cancelDeadline = () => {};
  client.on('end', () => cancelDeadline());

  /** Handled like a client that was never connected, because there is no socket whose close would end it. */
  function endWithoutSocket(): void {
    client.status = 'wait';
    disconnect.call(client);
  }

  Object.assign(client, {
    connect(...parameters: readonly unknown[]): Promise<void> {
      cancelDeadline();
      return isRetired ? Promise.reject(new Error(CLOSED_MESSAGE)) : connect.apply(client, [...parameters]);
    },
    disconnect(reconnect = false): void {
      cancelDeadline();
      if (!reconnect && client.status === 'reconnecting') {
        endWithoutSocket();
        return;
      }
      disconnect.call(client, reconnect);
      if (reconnect) return;
      // A Cluster loses its end as well if it is disconnected while it begins to connect, or twice in a row.
      if (client.status !== 'end') cancelDeadline = startDeadline(SOCKETS_CLOSED_MILLIS, endWithoutSocket);
    },
  });
  return function retire() {
    isRetired = true;
    if (client.status !== 'end') client.disconnect();
  };
}
