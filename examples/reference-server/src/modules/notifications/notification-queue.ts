import type { Job, JobType } from 'bullmq';
import { maskMobile } from '../../http/mobile-number.js';
import { withinLimit } from '../../storage/database.js';
import type { DeliveryOutcome } from './deliver.js';
import { NotificationQueueUnavailableError } from './errors.js';
import type { Notification } from './notification.js';
import type { NotificationBullQueue, NotificationJob, QueueBackend } from './queue-backend.js';
import type { PayloadSeal } from './sealed-payload.js';

/** A notification as administrators see it, without the code and without account data. */
export interface NotificationState {
  readonly id: string;
  readonly kind: Notification['kind'];
  /** Masked. */
  readonly recipient: string;
  /** The state in the queue, or the outcome of the delivery. `failed` if it could not be carried out. */
  readonly state: QueuedState | DeliveryOutcome;
  /** The number of attempts. */
  readonly attempts: number;
  readonly queuedAt: number;
  readonly expiresAt: number;
  readonly finishedAt?: number;
}

/** The queue of notifications (APP-4). Its content survives the processes that work on it. */
export interface NotificationQueue {
  /** Resolves once the notification is stored. @throws {NotificationQueueUnavailableError} */
  add(notification: Notification): Promise<void>;
  /** The newest first. */
  list(page: {
    readonly page: number;
    readonly size: number;
  }): Promise<{ readonly items: NotificationState[]; readonly total: number }>;
  /** The number of notifications in each state. @throws {NotificationQueueUnavailableError} */
  counts(): Promise<Readonly<Record<QueuedState, number>>>;
  close(): Promise<void>;
}

/** The states of notifications whose delivery has not ended, or could not be carried out. */
export type QueuedState = 'queued' | 'sending' | 'retrying' | 'failed';

/** The expiry of the message bounds its attempts, not this number. */
const MAX_ATTEMPTS = 10_000;

/** Completed jobs stay visible for a day (`age` in seconds), at most `count` of them. */
const KEPT = { age: 86_400, count: 5000 };

/**
 * In the order in which a job passes through them. A failed attempt leads from the third state back to the second: a
 * job that goes back between two queries is found by the second look.
 */
const TYPES = [
  'waiting',
  'delayed',
  'active',
  'waiting',
  'delayed',
  'failed',
  'completed',
] as const satisfies readonly JobType[];

const stateNames = { active: 'sending', waiting: 'queued', delayed: 'retrying', failed: 'failed' } as const;

export async function openNotificationQueue(
  backend: QueueBackend,
  seal: PayloadSeal,
  onError: (error: Error) => void,
): Promise<NotificationQueue> {
  const queue = backend.openQueue();
  queue.on('error', onError);
  await queue.waitUntilReady();

  return {
    async add(notification) {
      const { id, kind, mobile, expiresAt } = notification;
      const job = { kind, recipient: maskMobile(mobile), expiresAt, sealed: seal.seal(notification) };
      const options = { jobId: id, attempts: MAX_ATTEMPTS, backoff: { type: 'custom' } };
      await orUnavailable(queue.add(kind, job, { ...options, removeOnComplete: KEPT, removeOnFail: KEPT }));
    },
    list: (page) => orUnavailable(listJobs(queue, page)),
    counts: () => orUnavailable(countJobs(queue)),
    close: () => queue.close(),
  };
}

async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await withinLimit(work);
  } catch (cause) {
    throw new NotificationQueueUnavailableError({ cause: cause as Error });
  }
}

async function countJobs(queue: NotificationBullQueue): Promise<Record<QueuedState, number>> {
  const {
    waiting = 0,
    active = 0,
    delayed = 0,
    failed = 0,
  } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  return { queued: waiting, sending: active, retrying: delayed, failed };
}

/**
 * Ids begin with the time of their notification, so that a page is cut before its jobs are read: in PostgreSQL each job
 * takes a query, and those of new notifications wait behind them.
 */
async function listJobs(
  queue: NotificationBullQueue,
  { page, size }: { readonly page: number; readonly size: number },
) {
  const types = new Map<string, (typeof TYPES)[number]>();
  for (const type of TYPES) {
    // A job that changed state between the queries appears once, in its later state.
    for (const id of await queue.getRanges([type], 0, KEPT.count - 1)) types.set(id, type);
  }
  const newestFirst = [...types].sort(([one], [other]) => (other < one ? -1 : 1));
  const shown = newestFirst.slice((page - 1) * size, page * size);
  const items = await Promise.all(
    shown.map(async ([id, type]) => {
      const job = await queue.getJob(id);
      return job === undefined ? [] : [show(job, type)];
    }),
  );
  return { items: items.flat(), total: types.size };
}

function show(job: Job<NotificationJob, DeliveryOutcome>, type: (typeof TYPES)[number]): NotificationState {
  const { kind, recipient, expiresAt } = job.data;
  return {
    id: String(job.id),
    kind,
    recipient,
    state: stateOf(job, type),
    attempts: job.attemptsStarted,
    queuedAt: job.timestamp,
    expiresAt,
    ...(job.finishedOn !== undefined && { finishedAt: job.finishedOn }),
  };
}

/** The job may have ended since its id was read. */
function stateOf(
  { finishedOn, returnvalue }: Job<NotificationJob, DeliveryOutcome>,
  type: (typeof TYPES)[number],
): NotificationState['state'] {
  const hasEnded = finishedOn !== undefined;
  if (type === 'completed' || (hasEnded && returnvalue !== null)) return returnvalue;
  return stateNames[hasEnded ? 'failed' : type];
}
