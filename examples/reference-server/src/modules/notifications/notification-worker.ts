import type { Job } from 'bullmq';
import type { FastifyBaseLogger } from 'fastify';
import type { DeliveryOutcome } from './deliver.js';
import type { Notification } from './notification.js';
import type { NotificationJob, QueueBackend } from './queue-backend.js';
import type { PayloadSeal } from './sealed-payload.js';

export interface NotificationWorkerOptions {
  readonly backend: QueueBackend;
  readonly seal: Pick<PayloadSeal, 'open'>;
  /** One attempt. Rejects if a later attempt may succeed. */
  readonly deliver: (notification: Notification) => Promise<DeliveryOutcome>;
  /** After this time without a sign of life, other workers take over a worker's messages, in seconds. */
  readonly leaseSeconds: number;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** Called with the outcome of each delivery. `retried`: another attempt follows. */
  readonly onDelivery?: (outcome: DeliveryOutcome | 'retried') => void;
  /** In milliseconds since 1970. Default: the clock of the process. */
  readonly now?: () => number;
}

export interface NotificationWorker {
  /** Resolves once the deliveries in progress have ended. */
  close(): Promise<void>;
}

/** Concurrent deliveries of one process. */
const CONCURRENCY = 10;

/**
 * Delay between attempts, in milliseconds. It doubles each time up to the maximum, with jitter, so that retries do not
 * coincide.
 */
const FIRST_WAIT_MILLIS = 500;
const MAX_WAIT_MILLIS = 30_000;

/** Delay before a worker reconnects to the queue, in milliseconds. */
const RECONNECT_MILLIS = 500;

/** Starts a worker. Any number of workers, in any number of processes, may share the queue. */
export async function startNotificationWorker(options: NotificationWorkerOptions): Promise<NotificationWorker> {
  const { backend, seal, deliver, leaseSeconds, log, onDelivery = () => {}, now = Date.now } = options;

  async function deliverNow(notification: Notification): Promise<DeliveryOutcome> {
    try {
      const outcome = await deliver(notification);
      onDelivery(outcome);
      return outcome;
    } catch (error) {
      onDelivery('retried');
      throw error;
    }
  }

  /** An expired message is not opened: its key may have been replaced meanwhile, and every attempt would fail. */
  async function endOf(id: string, { sealed, expiresAt }: NotificationJob): Promise<DeliveryOutcome> {
    if (now() < expiresAt) return deliverNow(seal.open(id, sealed));
    onDelivery('expired');
    return 'expired';
  }

  async function process(job: Job<NotificationJob, DeliveryOutcome, string>): Promise<DeliveryOutcome> {
    const id = String(job.id);
    const outcome = job.data.outcome ?? (await endOf(id, job.data));
    log.info({ notification: id, outcome, attempts: job.attemptsStarted }, 'notification ended');
    // The content is no longer needed once the delivery has ended.
    await job.updateData({ ...job.data, sealed: '', outcome });
    return outcome;
  }

  const worker = backend.openWorker(process, {
    concurrency: CONCURRENCY,
    lockDuration: leaseSeconds * 1000,
    stalledInterval: leaseSeconds * 1000,
    // The number of sends is limited where they are counted. A worker that dies before that uses up none.
    maxStalledCount: 1_000_000,
    runRetryDelay: RECONNECT_MILLIS,
    settings: { backoffStrategy: waitMillis },
  });
  worker.on('error', (err) => log.warn({ err }, 'the notification queue is unavailable'));
  worker.on('failed', (job, err) => log.warn({ notification: job?.id, err }, 'a notification was not delivered'));
  await worker.waitUntilReady();
  return { close: () => worker.close() };
}

function waitMillis(attemptsMade: number): number {
  const wait = Math.min(MAX_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** Math.min(attemptsMade - 1, 10));
  return Math.round(wait * (0.75 + Math.random() / 4));
}
