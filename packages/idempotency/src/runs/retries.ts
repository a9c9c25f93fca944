// While a store is away each refused request may leave one: beyond this many the newest are given up. Their records end
// by their leases, as those of a process that died.
const MOST_PENDING = 1000;

/** A record that nobody renews has lapsed after three; a store that was away for long is given some time more. */
const TRIES = 10;

/** Repeats what a store could not do: best effort, without keeping the process alive. */
export function createBackgroundTries(leaseMillis: number) {
  const timers = new Set<NodeJS.Timeout>();

  return {
    keepTrying(attempt: () => Promise<unknown>): void {
      if (timers.size >= MOST_PENDING) return;
      let left = TRIES;
      const timer = setInterval(async () => {
        left -= 1;
        const isDone = await attempt().then(
          () => true,
          () => false,
        );
        if (isDone || left <= 0) stop();
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
