export interface LeaseOptions {
  readonly everyMillis: number;
  /** A run that never ends would renew for ever: beyond so long it counts as lost. */
  readonly longestMillis: number;
  /** Resolves to false when the lease is another's. */
  readonly renew: () => Promise<boolean>;
  /** Called once at most. */
  readonly onLost: () => void;
}

/** Renews until it is stopped or lost. The timer keeps no process alive. A renewal that fails is made up for by the next. */
export function holdLease({ everyMillis, longestMillis, renew, onLost }: LeaseOptions): { stop(): void } {
  let isHeld = true;
  let isRenewing = false;
  let turnsLeft = Math.ceil(longestMillis / everyMillis);

  const timer = setInterval(async () => {
    turnsLeft -= 1;
    if (isRenewing) return;
    isRenewing = true;
    const isOurs = turnsLeft >= 0 && (await renew().catch(() => true));
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
