import type { Counter } from '@sallyport/ttl-store';

export interface ClientCountersOptions {
  /** The most clients that are counted. Beyond it the one that was quiet longest is forgotten. */
  readonly maxClients: number;
  /** Length of a window, in milliseconds. It begins with the first request of a client. */
  readonly windowMillis: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

export interface ClientCounters {
  /** Counts one request, at once: every request passes by here, and a promise would cost more than the counting. */
  increment(client: string): Counter;
}

/** Requests by client in the memory of this process. */
export function createClientCounters({
  maxClients,
  windowMillis,
  now = Date.now,
}: ClientCountersOptions): ClientCounters {
  /** In the order in which they were last counted. */
  const windows = new Map<string, { readonly startedAt: number; count: number }>();

  function windowOf(client: string, time: number) {
    const window = windows.get(client);
    if (window === undefined) {
      if (windows.size >= maxClients) windows.delete(windows.keys().next().value as string);
      return { startedAt: time, count: 0 };
    }
    windows.delete(client);
    const isOver = time >= window.startedAt + windowMillis || time < window.startedAt;
    return isOver ? { startedAt: time, count: 0 } : window;
  }

  return {
    increment(client) {
      const time = now();
      const window = windowOf(client, time);
      window.count += 1;
      windows.set(client, window);
      return { value: window.count, remainingMillis: window.startedAt + windowMillis - time };
    },
  };
}
