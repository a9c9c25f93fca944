import type { StoreLoss } from '@sallyport/ttl-store/loss';

/**
 * What the store has lost, or `clock`: the clock of the store was set back, so that records may have expired before.
 * `window`: the timestamp window is longer than before, and records of older envelopes have expired.
 */
export type LossReason = StoreLoss | 'clock' | 'window';

/** What `onEvent` is told. */
export type ReplayGuardEvent =
  /** The store may have lost nonces. Envelopes that may have been accepted before are refused for so long. */
  | { readonly kind: 'loss'; readonly part: number; readonly reason: LossReason; readonly refusedMillis: number }
  /** Every part of the store serves all envelopes in time again. */
  | { readonly kind: 'recovered' }
  /** The clock of the store was set back by so many milliseconds. */
  | { readonly kind: 'store-clock-back'; readonly part: number; readonly byMillis: number }
  /** The wall clock of this node was set, by so many milliseconds. Nothing follows from it. Of the plugin alone. */
  | { readonly kind: 'wall-clock-step'; readonly stepMillis: number };

/** Whether envelopes are refused because the store may have lost nonces. */
export interface ReplayGuardState {
  readonly isRecovering: boolean;
  /** The reason of the last loss while `isRecovering`. */
  readonly reason: LossReason | null;
  /** In how many milliseconds a client whose clock is right is served again; 0 unless `isRecovering`. */
  readonly remainingMillis: number;
}
