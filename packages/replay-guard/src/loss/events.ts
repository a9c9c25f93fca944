import type { StoreLoss } from '@sallyport/ttl-store/loss';

/**
 * The kind of the loss, or `clock`: the clock of the store was set back, so that records may have expired before.
 * `window`: the timestamp window is longer than before, and records of older envelopes have expired.
 */
export type LossReason = StoreLoss | 'clock' | 'window';

/** An event for `onEvent`. */
export type ReplayGuardEvent =
  /** The store may have lost nonces. Envelopes that may have been accepted before are refused for this time. */
  | { readonly kind: 'loss'; readonly part: number; readonly reason: LossReason; readonly refusedMillis: number }
  /** Every part of the store serves all envelopes in time again. */
  | { readonly kind: 'recovered' }
  /** The clock of the store was set back, by this many milliseconds. */
  | { readonly kind: 'store-clock-back'; readonly part: number; readonly byMillis: number }
  /**
   * The wall clock of this node was set, by this many milliseconds. It has no effect on claims. Only the plugin reports
   * it.
   */
  | { readonly kind: 'wall-clock-step'; readonly stepMillis: number };

/** Whether envelopes are refused because the store may have lost nonces. */
export interface ReplayGuardState {
  readonly isRecovering: boolean;
  /** The reason of the last loss while `isRecovering`. */
  readonly reason: LossReason | null;
  /** Milliseconds until a client whose clock is right is served again. 0 unless `isRecovering`. */
  readonly remainingMillis: number;
}
