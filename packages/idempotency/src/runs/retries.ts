/**
 * Each request that is refused while a store is unavailable may leave a retry. If a retry is dropped, the lease of its
 * record runs out.
 */
const MAX_PENDING = 1000;

/**
 * A record that is not renewed lapses after three attempts. The others are for a store that is unavailable for long.
 */
const MAX_ATTEMPTS = 10;

/** Repeats failed store calls in the background, without guarantee. It does not keep the process alive. */
export function createRetries(leaseMillis: number) {
  const timers = new Set<NodeJS.Timeout>();

  return {
    retry(attempt: () => Promise<unknown>): void {
      if (timers.size >= MAX_PENDING) return;
      let attemptsLeft = MAX_ATTEMPTS;
      const timer = setInterval(async () => {
        attemptsLeft -= 1;
        const isDone = await attempt().then(
          () => true,
          () => false,
        );
        if (isDone || attemptsLeft <= 0) stop();
      }, leaseMillis / 3).unref();
      const stop = () => {
        clearInterval(timer);
        timers.delete(timer);
      };
      timers.add(timer);
    },

    close(): void {
      for (const timer of timers) clearInterval(timer);
      timers.clear();
    },
  };
}
