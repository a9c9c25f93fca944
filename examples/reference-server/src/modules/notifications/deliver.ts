import type { TtlStore } from '@sallyport/ttl-store';
import { type Notification, NotTakenError, type Sender, textOf } from './notification.js';

/** The outcome of a delivery. */
export type DeliveryOutcome =
  /** A sender accepted the message. */
  | 'sent'
  /** The code was used or withdrawn. */
  | 'superseded'
  /** The message expired before a sender accepted it. */
  | 'expired'
  /** Two sends ended without a confirmation. The message may have arrived; a third send is refused. */
  | 'unconfirmed'
  /** The sender rejected the message for good. */
  | 'refused';

export interface DeliveryOptions {
  readonly sender: Sender;
  /** The store in which sends are counted, for all workers. */
  readonly store: Pick<TtlStore, 'increment'>;
  /** Whether the notification is still needed. */
  readonly isWanted: (notification: Notification) => Promise<boolean>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** REL-9: no recipient gets a message three times, even if a worker dies between a send and its acknowledgement. */
const MAX_SENDS = 2;

const KEY_PREFIX = 'notification-sends:';

/** How long counters outlive their messages, in milliseconds. Covers clock differences between workers. */
const COUNTER_MARGIN_MILLIS = 3_600_000;

/**
 * One attempt at a delivery. Rejects if a later attempt may succeed.
 *
 * A send is counted before it is made, in a store that all workers share, and the count is reverted only if the send
 * certainly failed. A worker that dies, or resumes after its lease expired, therefore can't cause a third send. The
 * count is made as late as possible, because a worker that dies between the count and the send has used up one of the
 * two.
 */
export function createDelivery({ sender, store, isWanted, now = Date.now }: DeliveryOptions) {
  return async function deliver(notification: Notification): Promise<DeliveryOutcome> {
    const { id, mobile, code, validMinutes, expiresAt } = notification;
    if (now() >= expiresAt) return 'expired';
    if (!(await isWanted(notification))) return 'superseded';
    const message = { id, mobile, text: textOf(notification), code, validMinutes, expiresAt };
    const prepared = await sender.prepare(message);

    const ttlMillis = Math.max(1, Math.ceil(expiresAt - now())) + COUNTER_MARGIN_MILLIS;
    const count = (by: number) => store.increment(KEY_PREFIX + id, ttlMillis, by);
    try {
      const sends = (await count(1)).value;
      // Check again: connecting and counting may have taken long.
      const refusal = sends > MAX_SENDS ? 'unconfirmed' : now() >= expiresAt ? 'expired' : null;
      if (refusal !== null) return refusal;
      await prepared.send();
      return 'sent';
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error;
      await count(-1);
      if (error.isFinal) return 'refused';
      throw error;
    } finally {
      prepared.abandon();
    }
  };
}
