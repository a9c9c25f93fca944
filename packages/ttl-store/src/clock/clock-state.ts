/** The difference between the clock of this node and the store's. */
export interface ClockState {
  /** This node's wall clock minus the store's, in whole milliseconds. */
  readonly skewMillis: number;
  /** The error bound of `skewMillis`, in milliseconds. */
  readonly errorMillis: number;
  /** The value of the option. */
  readonly allowedSkewMillis: number;
  /**
   * Whether the difference is certainly greater than allowed. False for a store in this process, which has the same
   * clock.
   */
  readonly isOff: boolean;
}

/** An event for the listeners of `watch`. */
export type ClockEvent =
  /** This node's wall clock is now off by more than allowed. */
  | ({ readonly kind: 'off' } & ClockState)
  /** The wall clock is right again. */
  | ({ readonly kind: 'right' } & ClockState)
  /** The store's time jumped by this many milliseconds: its clock was set, or another machine answers for the store. */
  | { readonly kind: 'store-step'; readonly stepMillis: number };
