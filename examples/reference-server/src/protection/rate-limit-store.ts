import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { TtlStore } from '@sallyport/ttl-store';

type Counters = Pick<TtlStore, 'increment'>;

/** What `child` really receives: the limits of a route, and the route. */
interface RouteLimits {
  readonly routeInfo?: { readonly method?: string | string[]; readonly url?: string };
}

/**
 * The counters of @fastify/rate-limit in a `TtlStore`, so that all nodes share them, and so that a store that can't be
 * reached or is slow refuses with its own 503 instead of letting requests through uncounted.
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

  /** A route with a limit of its own counts on its own. */
  child(limits: object): FastifyRateLimitStore {
    const { method = '', url = '' } = (limits as RouteLimits).routeInfo ?? {};
    return new RateLimitCounters(this.#counters, `${this.#keyPrefix}${method} ${url}:`);
  }
}
