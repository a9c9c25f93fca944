import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { TtlStore } from '@sallyport/ttl-store';

type Counters = Pick<TtlStore, 'increment'>;

/** The actual argument of `child`: the limits of a route, and the route. */
interface RouteLimits {
  readonly routeInfo?: { readonly method?: string | string[]; readonly url?: string };
}

/**
 * Stores the counters of @fastify/rate-limit in a `TtlStore`, so that all nodes share them. If the store is slow or
 * unavailable, requests are refused with 503 instead of passing uncounted.
 */
export function rateLimitStore(counters: Counters): FastifyRateLimitStoreCtor {
  return class extends RateLimitCounters {
    constructor() {
      super(counters, 'rate-limit:');
    }
  };
}

class RateLimitCounters implements FastifyRateLimitStore {
  readonly #counters: Counters;
  readonly #keyPrefix: string;

  constructor(counters: Counters, keyPrefix: string) {
    this.#counters = counters;
    this.#keyPrefix = keyPrefix;
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    timeWindow: number,
  ): void {
    this.#counters.increment(`${this.#keyPrefix}${key}`, timeWindow).then(
      ({ value, remainingMillis }) => callback(null, { current: value, ttl: remainingMillis }),
      (error: Error) => callback(error),
    );
  }

  /** A route with its own limit has its own counters. */
  child(limits: object): FastifyRateLimitStore {
    const { method = '', url = '' } = (limits as RouteLimits).routeInfo ?? {};
    return new RateLimitCounters(this.#counters, `${this.#keyPrefix}${method} ${url}:`);
  }
}
