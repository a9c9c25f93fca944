export interface StepWatchOptions {
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Smaller steps are not reported. In milliseconds. */
  readonly allowedMillis: number;
}

/**
 * Returns a function that returns by how many milliseconds the wall clock was set since the last reported step, or 0 if
 * by no more than allowed. Slow corrections add up like steps. Those of NTP stay below the limit for years.
 */
export function createStepWatch({ now, monotonic, allowedMillis }: StepWatchOptions): () => number {
  let origin = now() - monotonic();

  return function noteSteps() {
    const present = now() - monotonic();
    const stepMillis = Math.round(present - origin);
    if (!(Math.abs(stepMillis) > allowedMillis)) return 0;
    origin = present;
    return stepMillis;
  };
}
