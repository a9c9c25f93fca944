/** Tells other nodes that a parameter has changed. One that fails or loses a message costs time, up to `maxAgeMillis`, never a change. */
export interface ParameterNotifier {
  /** Tells every subscriber, on this node and the others. Called after a change, which doesn't wait for it. */
  publish(): Promise<void>;
  /** From now on calls the listener when there may be a change; also when messages may have been missed, as after a reconnection. */
  subscribe(listener: () => void): ParameterSubscription;
}

export interface ParameterSubscription {
  /** Resolves when changes are heard of; rejects if they won't be. */
  readonly active: Promise<void>;
  /** Ends it, and whatever the notifier opened for it, active or not. */
  end(): Promise<void>;
}
