export interface LeaseOptions {
  /** The time between two renewals. */
  readonly everyMillis: number;
  /** After this time the lease counts as lost. Otherwise, a run that never ends would renew it forever. */
  readonly maxMillis: number;
  /** Resolves to false when another run holds the record. */
  readonly renew: () => Promise<boolean>;
  /** Called at most once. */
  readonly onLost: () => void;
}

/**
 * Renews the lease until it is stopped or lost. The timer does not keep the process alive. A failed renewal is followed
 * by the next one.
 */
export function holdLease({ everyMillis, maxMillis, renew, onLost }: LeaseOptions): { stop(): void } {
  let isHeld = true;
  let isRenewing = false;
  let renewalsLeft = Math.ceil(maxMillis / everyMillis);

  const timer = setInterval(async () => {
    renewalsLeft -= 1;
    if (isRenewing) return;
    isRenewing = true;
    const isOurs = renewalsLeft >= 0 && (await renew().catch(() => true));
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
