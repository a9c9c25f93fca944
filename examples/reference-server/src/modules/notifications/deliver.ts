import type { TtlStore } from '@sallyport/ttl-store';
import { type Notification, NotTakenError, type Sender, textOf } from './notification.js';

/** How the delivery of a notification ended. */
export type DeliveryOutcome =
  /** A sender took it. */
  | 'sent'
  /** A newer code followed, or it was used: nobody needs it any more. */
  | 'superseded'
  /** Its time was over before a sender took it. */
  | 'expired'
  /** It was handed over twice without a confirmation: it may have arrived, and a third time is refused. */
  | 'unconfirmed'
  /** The sender doesn't take it, now or later. */
  | 'refused';

export interface DeliveryOptions {
  readonly sender: Sender;
  /** Where sends are counted, for all workers. */
  readonly store: Pick<TtlStore, 'increment'>;
  /** Whether somebody still waits for it. */
  readonly isWanted: (notification: Notification) => Promise<boolean>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** REL-9: whatever dies between a send and its acknowledgement, nobody gets a message three times. */
const MAX_SENDS = 2;

const KEY_PREFIX = 'notification-sends:';

/** Counters outlive their messages by so long that no worker's clock matters, in milliseconds. */
const COUNTER_MARGIN_MILLIS = 3_600_000;

/**
 * One attempt at a delivery. Rejects when a later attempt may do better.
 *
 * A send is counted before it is made, by all workers in one place, and uncounted only when it surely failed: so a
 * worker that dies in between, or one that was thought dead and goes on, can't bring about a third one. The count comes
 * as late as it can, because a worker that dies between it and the send has used one up.
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
      // Connecting and counting may have taken their time.
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
