import type { TtlStore } from '@sallyport/ttl-store';

/** An hour by minutes, or a day by hours. */
export type ActivityWindow = 'hour' | 'day';

/** The number of intervals of each window and their length, in milliseconds. */
export type Windows = Readonly<Record<ActivityWindow, { readonly interval: number; readonly length: number }>>;

/** An interval: the window, and its number since 1970. */
interface Interval {
  readonly window: ActivityWindow;
  readonly place: number;
}

/** Counts of intervals that the store has not taken yet. */
export interface WaitingCounts<Counted> {
  /** Adds to the present interval of each window. */
  add(keyOf: (interval: Interval) => string, counted: Counted): void;
  /** Writes what waits. After a failure the counts are kept for the next call. */
  flush(): Promise<void>;
  /** The numbers of the intervals that a window shows, the oldest first. */
  placesOf(window: ActivityWindow): number[];
}

export interface WaitingCountsOptions<Counted> {
  readonly windows: Windows;
  readonly now: () => number;
  /** The sum. It may be the first one, changed. */
  readonly sumOf: (waiting: Counted | undefined, counted: Counted) => Counted;
  /**
   * Adds to the store. False: it has to be tried again.
   *
   * @param lifetime one interval more than the window shows, in milliseconds
   */
  readonly write: (key: string, counted: Counted, lifetime: number) => Promise<boolean>;
}

/** Keeps counts until the store has them. What no window shows any longer is dropped after a failure. */
export function createWaitingCounts<Counted>(options: WaitingCountsOptions<Counted>): WaitingCounts<Counted> {
  const { windows, now, sumOf, write } = options;
  const names = Object.keys(windows) as ActivityWindow[];
  let waiting = new Map<string, Interval & { readonly counted: Counted }>();
  let flushing: Promise<void> = Promise.resolve();

  const placeOf = (window: ActivityWindow) => Math.floor(now() / windows[window].interval);

  function keep(key: string, interval: Interval, counted: Counted): void {
    waiting.set(key, { ...interval, counted: sumOf(waiting.get(key)?.counted, counted) });
  }

  async function writeAll(): Promise<void> {
    const taken = waiting;
    waiting = new Map();
    const written = await Promise.allSettled(
      [...taken].map(async ([key, { window, place, counted }]) => {
        const { interval, length } = windows[window];
        let isWritten = false;
        try {
          isWritten = await write(key, counted, interval * (length + 1));
        } finally {
          if (!isWritten && place > placeOf(window) - length) keep(key, { window, place }, counted);
        }
      }),
    );
    const failed = written.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  return {
    add(keyOf, counted) {
      for (const window of names) {
        const interval = { window, place: placeOf(window) };
        keep(keyOf(interval), interval, counted);
      }
    },
    /** Only one call writes at a time. One that waits writes what was counted meanwhile. */
    flush() {
      flushing = flushing.then(writeAll, writeAll);
      return flushing;
    },
    placesOf(window) {
      const { length } = windows[window];
      const first = placeOf(window) - length + 1;
      return Array.from({ length }, (_, index) => first + index);
    },
  };
}

/** The values of keys, in one request where the store can. */
export async function readAll(
  store: Pick<TtlStore, 'get' | 'getAll'>,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  return store.getAll?.(keys) ?? Promise.all(keys.map((key) => store.get(key)));
}
