export interface LeaseOptions {
  readonly everyMillis: number;
  /** Resolves to false when the lease is another's. */
  readonly renew: () => Promise<boolean>;
  /** Called once at most. */
  readonly onLost: () => void;
}

/** Renews until it is stopped or lost. The timer keeps no process alive. A renewal that fails is made up for by the next. */
export function holdLease({ everyMillis, renew, onLost }: LeaseOptions): { stop(): void } {
  let isHeld = true;
  let isRenewing = false;

  const timer = setInterval(async () => {
    if (isRenewing) return;
    isRenewing = true;
    const isOurs = await renew().catch(() => true);
    isRenewing = false;
    if (isOurs || !isHeld) return;
    stop();
    onLost();
  }, everyMillis).unref();

  function stop(): void {
    isHeld = false;
    clearInterval(timer);
  }

  return { stop };
}
