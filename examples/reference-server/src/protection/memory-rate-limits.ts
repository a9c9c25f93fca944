import type { FastifyRateLimitStore } from '@fastify/rate-limit';

/**
 * Maximum number of clients per limit in memory. Beyond it the client whose last request is the oldest is dropped. It
 * loses only its count, and the flood gate still counts it.
 */
const MAX_CLIENTS = 50_000;

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
  /** In the order of the last request. */
  readonly #counts = new Map<string, Count>();

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
    }
    count.requests += 1;
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > MAX_CLIENTS) this.#counts.delete(this.#counts.keys().next().value as string);
    callback(null, { current: count.requests, ttl: count.endsAt - now });
  }

  /** A route with its own limit has its own counters. */
  child(): FastifyRateLimitStore {
    return new MemoryRateLimits();
  }
}
