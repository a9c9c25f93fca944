import type { Job } from 'bullmq';
import type { FastifyBaseLogger } from 'fastify';
import type { DeliveryOutcome } from './deliver.js';
import type { Notification } from './notification.js';
import type { NotificationJob, QueueBackend } from './queue-backend.js';
import type { PayloadSeal } from './sealed-payload.js';

export interface NotificationWorkerOptions {
  readonly backend: QueueBackend;
  readonly seal: Pick<PayloadSeal, 'open'>;
  /** One attempt; rejects when a later one may do better. */
  readonly deliver: (notification: Notification) => Promise<DeliveryOutcome>;
  /** A worker that shows no sign of life for so long has its messages taken over, in seconds. */
  readonly leaseSeconds: number;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** Hears how each delivery ended; `retried`: an attempt that a later one follows. Default: nobody does. */
  readonly onDelivery?: (outcome: DeliveryOutcome | 'retried') => void;
}

export interface NotificationWorker {
  /** Resolves when the deliveries under way have ended. */
  close(): Promise<void>;
}

/** Deliveries at once in one process. */
const CONCURRENCY = 10;

/**
 * Waits between attempts, in milliseconds: doubled each time, up to the longest, and spread, so that not all come back
 * at once.
 */
const FIRST_WAIT_MILLIS = 500;
const MAX_WAIT_MILLIS = 30_000;

/** How long a worker waits after it could not reach the queue, in milliseconds. */
const RECONNECT_MILLIS = 500;

/** Works the queue off. Any number of them, in any number of processes, share it. */
export async function startNotificationWorker(options: NotificationWorkerOptions): Promise<NotificationWorker> {
  const { backend, seal, deliver, leaseSeconds, log, onDelivery = () => {} } = options;

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

  async function process(job: Job<NotificationJob, string, string>): Promise<string> {
    const id = String(job.id);
    const outcome = job.data.outcome ?? (await deliverNow(seal.open(id, job.data.sealed)));
    log.info({ notification: id, outcome, attempts: job.attemptsStarted }, 'notification ended');
    // What was sent need not be readable any longer, by whichever key.
    await job.updateData({ ...job.data, sealed: '', outcome });
    return outcome;
  }

  const worker = backend.openWorker(process, {
    concurrency: CONCURRENCY,
    lockDuration: leaseSeconds * 1000,
    stalledInterval: leaseSeconds * 1000,
    // How often a message may be sent is counted where it is sent. A worker that dies before that loses nothing.
    maxStalledCount: 1_000_000,
    runRetryDelay: RECONNECT_MILLIS,
    settings: { backoffStrategy: waitMillis },
  });
  worker.on('error', (err) => log.warn({ err }, 'the notification queue could not be reached'));
  worker.on('failed', (job, err) => log.warn({ notification: job?.id, err }, 'a notification was not taken'));
  await worker.waitUntilReady();
  return { close: () => worker.close() };
}

function waitMillis(attemptsMade: number): number {
  const wait = Math.min(MAX_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** Math.min(attemptsMade - 1, 10));
  return Math.round(wait * (0.75 + Math.random() / 4));
}
