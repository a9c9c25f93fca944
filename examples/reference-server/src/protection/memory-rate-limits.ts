import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { LruCache } from '@sallyport/plugin-kit/lru-cache';

/**
 * Minimum number of clients per limit in memory; the maximum is twice as many. Beyond it, those whose last request is
 * the oldest are dropped. They lose only their counts, and the flood gate still counts them.
 */
const MIN_CLIENTS = 25_000;

interface Count {
  requests: number;
  readonly endsAt: number;
}

/**
 * Counters of @fastify/rate-limit in the memory of this process. The plugin's own store gives parallel requests one
 * shared object. All of them read the last count, so of ten requests with a limit of five none is served
 * (docs/upstream.md).
 */
export class MemoryRateLimits implements FastifyRateLimitStore {
  readonly #counts = new LruCache<Count>(MIN_CLIENTS);

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    timeWindow: number,
  ): void {
    const now = Date.now();
    let count = this.#counts.get(key);
    // A clock that was set back must not extend a window.
    if (count === undefined || count.endsAt <= now || count.endsAt > now + timeWindow) {
      count = { requests: 0, endsAt: now + timeWindow };
      this.#counts.set(key, count);
    }
    count.requests += 1;
    callback(null, { current: count.requests, ttl: count.endsAt - now });
  }

  /** A route with its own limit has its own counters. */
  child(): FastifyRateLimitStore {
    return new MemoryRateLimits();
  }
}
