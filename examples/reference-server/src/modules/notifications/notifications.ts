import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.js';
import type { Resources } from '../../storage/opened-resources.js';
import { createDelivery } from './deliver.js';
import { createGatewaySender } from './gateway-sender.js';
import type { Sender } from './notification.js';
import { type NotificationQueue, openNotificationQueue } from './notification-queue.js';
import {
  type NotificationWorker,
  type NotificationWorkerOptions,
  startNotificationWorker,
} from './notification-worker.js';
import { createOutbox, type Outbox } from './outbox.js';
import { openQueueBackend } from './queue-backend.js';
import { createPayloadSeal } from './sealed-payload.js';

export interface NotificationsOptions {
  readonly config: Config;
  readonly resources: Pick<Resources, 'database' | 'redis' | 'stores'>;
  /** Encrypts the payloads in the queue; 32 bytes, the same for all processes. */
  readonly key: Uint8Array;
  /** Whether a code is still valid. Expired codes are not sent. */
  readonly codes: { isLive(mobile: string, id: string): Promise<boolean> };
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** Called with the outcome of each delivery by a worker of this process. */
  readonly onDelivery?: NotificationWorkerOptions['onDelivery'];
}

/** The notification module (APP-4). */
export interface Notifications {
  readonly queue: NotificationQueue;
  /** The messages of development; null if a gateway sends them, or if there is no sender. */
  readonly outbox: Outbox | null;
  /** Null in production without a gateway. */
  readonly sender: Sender | null;
  /** Closes the workers and then the queue, in bounded time, even if the backend of the queue does not answer. */
  close(): Promise<void>;
  /** Starts a worker in this process. */
  startWorker(): Promise<NotificationWorker>;
}

/**
 * The time that deliveries in progress may take in addition to a request to the gateway, in milliseconds, because they
 * store their outcome.
 */
const STORE_OUTCOME_MILLIS = 1000;

/** Upper bound of that time, in milliseconds. The process that stops has 10 s for everything. */
const MAX_CLOSE_MILLIS = 8000;

export async function openNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { config, resources, key, codes, log, onDelivery = () => {} } = options;
  const store = resources.stores.sessions;
  const outbox = config.profile === 'development' ? createOutbox(store) : null;
  const sender = gatewayOf(config) ?? outbox;
  const seal = createPayloadSeal(key);
  const backend = await openQueueBackend(config, resources);
  const queue = await openNotificationQueue(backend, seal, (err) =>
    log.warn({ err }, 'the notification queue is unavailable'),
  );
  const workers: NotificationWorker[] = [];
  const gatewayMillis = config['notification.gateway.timeout-seconds'] * 1000;
  const closeMillis = Math.min(gatewayMillis + STORE_OUTCOME_MILLIS, MAX_CLOSE_MILLIS);

  async function closeWorkersAndQueue(): Promise<void> {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await queue.close();
  }
  return {
    queue,
    outbox,
    sender,
    async startWorker() {
      if (sender === null) throw new TypeError('there is no sender');
      const deliver = createDelivery({
        sender,
        store,
        isWanted: ({ mobile, codeId }) => codes.isLive(mobile, codeId),
      });
      const leaseSeconds = config['notification.lease-seconds'];
      const worker = await startNotificationWorker({ backend, seal, deliver, leaseSeconds, log, onDelivery });
      workers.push(worker);
      return worker;
    },
    async close() {
      backend.stopFetching();
      try {
        await withinDeadline(
          closeWorkersAndQueue(),
          closeMillis,
          () => new Error(`not closed within ${closeMillis} ms`),
        );
      } catch (err) {
        log.warn({ err }, 'deliveries in progress were left to other workers');
      }
      // Commands that wait for Redis reject now, and the workers end.
      await backend.close();
    },
  };
}

function gatewayOf(config: Config): Sender | null {
  const url = config['notification.gateway.url'];
  if (url === null) return null;
  return createGatewaySender({
    url,
    body: config['notification.gateway.body'],
    headers: config['notification.gateway.headers'] ?? {},
    signatureKey: config['notification.gateway.signature-key'],
    timeoutMillis: config['notification.gateway.timeout-seconds'] * 1000,
  });
}
