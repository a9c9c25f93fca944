import fastifyRateLimit from '@fastify/rate-limit';
import { counterKey } from '@sallyport/client-ip';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../http/errors.js';
import { rateLimitStore } from './rate-limit-store.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Begins to count a request that the common limit will be asked about, so that the answer of a shared store comes
     * with another that is on its way. Whoever is refused before his limit has been counted as well.
     */
    readonly beginRateLimit: (request: FastifyRequest) => void;
  }
}

export interface RateLimitsOptions {
  /** Requests of one client in a window, on all routes together that have no limit of their own. */
  readonly maxRequests: number;
  /** Length of the window, in seconds. */
  readonly windowSeconds: number;
  /** Counters that all nodes share; null: in the memory of this process. */
  readonly counters: Pick<TtlStore, 'increment'> | null;
}

/**
 * Clients counted in memory for each limit. Beyond it the one that was quiet longest is forgotten: it loses nothing but
 * its count, and the flood gate still counts it.
 */
export const MAX_CLIENTS = 50_000;

/** Limits of public routes count by the minute (ADM-4, LP-34). */
const PUBLIC_WINDOW_MILLIS = 60_000;

/** The config of a route that anybody may call, so many times a minute. */
export function publicWithLimit(max: number) {
  return { access: 'public' as const, rateLimit: { max, timeWindow: PUBLIC_WINDOW_MILLIS, cache: MAX_CLIENTS } };
}

/** Rate limits by client IP; IPv6 clients are counted by their /64. Requests to unknown paths are counted as well. */
async function rateLimitsPlugin(
  app: FastifyInstance,
  { maxRequests, windowSeconds, counters }: RateLimitsOptions,
): Promise<void> {
  // Unknown paths would reach the encryption policy before their limit.
  if (app.hasDecorator('envelopeCrypto')) throw new Error('rate-limits: register it before @sallyport/envelope-crypto');
  await app.register(fastifyRateLimit, {
    // Routes with a limit of their own; the common one is below, where its count may begin early.
    global: false,
    max: maxRequests,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request) => counterKey(request.clientIp),
    errorResponseBuilder: (_request, { ttl }) => new RateLimitedError(ttl / 1000),
    enableDraftSpec: true,
    ...(counters === null ? { cache: MAX_CLIENTS } : { store: rateLimitStore(counters) }),
  });
  const count = app.createRateLimit();
  const begun = new WeakMap<FastifyRequest, ReturnType<typeof count>>();

  app.decorate('beginRateLimit', function beginRateLimit(request: FastifyRequest) {
    // Memory answers at once, and counts only whom the limit is for.
    if (counters === null || !isUnderCommonLimit(request)) return;
    const counting = count(request);
    // Whoever waits for it is told; nobody may.
    counting.catch(() => {});
    begun.set(request, counting);
  });

  async function rateLimit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const outcome = await (begun.get(request) ?? count(request));
    if (outcome.isAllowed) return;
    const { max, remaining, ttl, ttlInSeconds, isExceeded } = outcome;
    reply.headers({ 'ratelimit-limit': max, 'ratelimit-remaining': remaining, 'ratelimit-reset': ttlInSeconds });
    if (!isExceeded) return;
    reply.header('retry-after', ttlInSeconds);
    throw new RateLimitedError(ttl / 1000);
  }

  // A hook of each route, so that it comes after those of the instance.
  app.addHook('onRoute', function limitRoute(route: RouteOptions) {
    if (route.config?.rateLimit === undefined) route.onRequest = [route.onRequest ?? [], rateLimit].flat();
  });
  // An unknown path has no route. With a promise, which Fastify awaits, only for one.
  app.addHook('preParsing', function limitUnknownPaths(request, reply, _payload, done) {
    return request.is404 ? rateLimit(request, reply) : done();
  });
}

/** Routes say otherwise by their config; an unknown path can't. */
function isUnderCommonLimit({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.config.rateLimit === undefined;
}

export const rateLimits = fp(rateLimitsPlugin, {
  fastify: '5.x',
  name: 'rate-limits',
  decorators: { request: ['clientIp'] },
});
