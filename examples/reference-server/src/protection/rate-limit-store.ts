import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { Counter, TtlStore } from '@sallyport/ttl-store';

type Counters = Pick<TtlStore, 'increment'>;

/** The actual argument of `child`: the limits of a route, and the route. */
interface RouteLimits {
  readonly routeInfo?: { readonly method?: string | string[]; readonly url?: string };
}

/** The counts that requests took together with the read of their session, by the key of their counter. */
export class CountsWithSession {
  readonly #counts = new Map<string, Promise<Counter | null>[]>();

  /** Called when the key is given to @fastify/rate-limit, which then calls `incr` of the store with it. */
  put(key: string, count: Promise<Counter | null>): void {
    const others = this.#counts.get(key);
    if (others === undefined) this.#counts.set(key, [count]);
    else others.push(count);
  }

  /** Counts of one key are alike, so each may go to another request of the same session. */
  take(key: string): Promise<Counter | null> | undefined {
    const counts = this.#counts.get(key);
    const count = counts?.shift();
    if (counts?.length === 0) this.#counts.delete(key);
    return count;
  }
}

/** The start of the keys of the limit that is common to all routes without their own. */
export const COMMON_LIMIT = 'rate-limit:';

/**
 * Stores the counters of @fastify/rate-limit in a `TtlStore`, so that all nodes share them. If the store is slow or
 * unavailable, requests are refused with 503 instead of passing uncounted.
 */
export function rateLimitStore(counters: Counters, taken: CountsWithSession): FastifyRateLimitStoreCtor {
  return class extends RateLimitCounters {
    constructor() {
      super(counters, COMMON_LIMIT, taken);
    }
  };
}

class RateLimitCounters implements FastifyRateLimitStore {
  readonly #counters: Counters;
  readonly #keyPrefix: string;
  readonly #taken: CountsWithSession | null;

  constructor(counters: Counters, keyPrefix: string, taken: CountsWithSession | null) {
    this.#counters = counters;
    this.#keyPrefix = keyPrefix;
    this.#taken = taken;
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    timeWindow: number,
  ): void {
    this.#count(key, timeWindow).then(
      ({ value, remainingMillis }) => callback(null, { current: value, ttl: remainingMillis }),
      (error: Error) => callback(error),
    );
  }

  async #count(key: string, timeWindow: number): Promise<Counter> {
    const taken = await this.#taken?.take(key);
    return taken ?? this.#counters.increment(`${this.#keyPrefix}${key}`, timeWindow);
  }

  /** A route with its own limit has its own counters. */
  child(limits: object): FastifyRateLimitStore {
    const { method = '', url = '' } = (limits as RouteLimits).routeInfo ?? {};
    return new RateLimitCounters(this.#counters, `${this.#keyPrefix}${method} ${url}:`, null);
  }
}
