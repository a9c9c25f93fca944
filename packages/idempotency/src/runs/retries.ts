/**
 * Every request that is refused while a store is away may leave a retry. Records whose retry is dropped end by lease.
 */
const MAX_PENDING = 1000;

/** A record that nobody renews lapses after three attempts. The others are for a store that is away for long. */
const MAX_ATTEMPTS = 10;

/** Repeats store calls that failed, in the background: best effort, without keeping the process alive. */
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
