/** How the clock of this node stands to the store's. */
export interface ClockState {
  /** This node's wall clock less the store's, in whole milliseconds. */
  readonly skewMillis: number;
  /** How wrong `skewMillis` may be, in milliseconds. */
  readonly errorMillis: number;
  /** The option. */
  readonly allowedSkewMillis: number;
  /** Whether the difference is certainly greater than allowed. Never of a store in this process: it has one clock. */
  readonly isOff: boolean;
}

/** What the listeners of `watch` are told. */
export type ClockEvent =
  /** This node's wall clock is now off by more than allowed. */
  | ({ readonly kind: 'off' } & ClockState)
  /** It is right again. */
  | ({ readonly kind: 'right' } & ClockState)
  /** The store's own clock was set, or another machine answers for the store, by so many milliseconds. */
  | { readonly kind: 'store-step'; readonly stepMillis: number };
