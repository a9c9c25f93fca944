import fastifyRateLimit from '@fastify/rate-limit';
import type { CountWithSession } from '@sallyport/auth-tokens';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../http/errors.js';
import { MemoryRateLimits } from './memory-rate-limits.js';
import type { Asking } from './password-duty.js';
import { COMMON_LIMIT, CountsWithSession, rateLimitStore } from './rate-limit-store.js';
import { sessionPays, whoPays } from './who-pays.js';

export interface RateLimitsOptions {
  /** Requests of one session, or of one address without one, per window, over all routes without their own limit. */
  readonly maxRequests: number;
  /** Length of the window, in seconds. */
  readonly windowSeconds: number;
  /** Counters that all nodes share; null: counters in the memory of this process. */
  readonly counters: Pick<TtlStore, 'increment'> | null;
}

/** Limits of public routes apply per minute (ADM-4, LP-34), in milliseconds. */
const PUBLIC_WINDOW_MILLIS = 60_000;

/** The config of a public route with a limit per minute. */
export function publicWithLimit(max: number) {
  return { access: 'public' as const, rateLimit: { max, timeWindow: PUBLIC_WINDOW_MILLIS } };
}

/**
 * The count of a request by the common limit, which shares the round trip of the session's read (PRF-13). Null if the
 * route has a limit of its own, or none, or if its authorization may yet refuse the request: then it is not counted.
 */
export function countWithSession(
  { windowSeconds }: Pick<RateLimitsOptions, 'windowSeconds'>,
  mayRefuse: (asking: Asking) => boolean,
): CountWithSession {
  return function countBySession({ routeOptions }, principal) {
    if (routeOptions.config?.rateLimit !== undefined || mayRefuse({ principal, routeOptions })) return null;
    return { key: COMMON_LIMIT + sessionPays(principal), ttlMillis: windowSeconds * 1000 };
  };
}

/** Rate limits per session or address. IPv6 is counted by its /64. Requests to unknown paths are counted too. */
async function rateLimitsPlugin(
  app: FastifyInstance,
  { maxRequests, windowSeconds, counters }: RateLimitsOptions,
): Promise<void> {
  // Otherwise unknown paths would reach the encryption policy before their limit.
  if (app.hasDecorator('envelopeCrypto')) throw new Error('rate-limits: register it before @sallyport/envelope-crypto');
  const taken = new CountsWithSession();
  await app.register(fastifyRateLimit, {
    max: maxRequests,
    timeWindow: windowSeconds * 1000,
    keyGenerator(request) {
      const key = whoPays(request);
      const counted = request.countedWithSession;
      if (counted?.key === COMMON_LIMIT + key) taken.put(key, counted.counter);
      return key;
    },
    errorResponseBuilder: (_request, { ttl }) => new RateLimitedError(ttl / 1000),
    enableDraftSpec: true,
    store: counters === null ? MemoryRateLimits : rateLimitStore(counters, taken),
  });

  // The plugin adds its limit to routes, and unknown paths have none. All other requests skip the promise.
  const limit = app.rateLimit();
  app.addHook('preParsing', function limitUnknownPaths(request, reply, _payload, done) {
    return request.is404 ? limit.call(app, request, reply) : done();
  });
}

export const rateLimits = fp(rateLimitsPlugin, {
  fastify: '5.x',
  name: 'rate-limits',
  decorators: { request: ['clientIp'] },
});
