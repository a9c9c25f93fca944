export interface StepWatchOptions {
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Smaller steps are not told, in milliseconds. */
  readonly allowedMillis: number;
}

/**
 * Returns a function that tells by how many milliseconds the wall clock was set since the last step that it told; 0 if
 * by no more than allowed. Slow corrections add up like steps, which NTP's stay below for years.
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
