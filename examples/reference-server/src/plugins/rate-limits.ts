import fastifyRateLimit from '@fastify/rate-limit';
import { counterKey } from '@sallyport/client-ip';
import type { Counter, TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { createClientCounters } from '../client-counters.js';
import { RateLimitedError } from '../errors.js';
import { RATE_LIMIT_PREFIX, rateLimitStore } from '../rate-limit-store.js';

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

/** Rate limits by client IP; IPv6 clients are counted by their /64. Requests to unknown paths are counted as well. */
async function rateLimitsPlugin(
  app: FastifyInstance,
  { maxRequests, windowSeconds, counters }: RateLimitsOptions,
): Promise<void> {
  // Unknown paths would reach the encryption policy before their limit.
  if (app.hasDecorator('envelopeCrypto')) throw new Error('rate-limits: register it before @sallyport/envelope-crypto');
  const windowMillis = windowSeconds * 1000;
  await app.register(fastifyRateLimit, {
    // Routes with a limit of their own; the common one is below, where its count may begin early.
    global: false,
    max: maxRequests,
    timeWindow: windowMillis,
    keyGenerator: (request) => counterKey(request.clientIp),
    errorResponseBuilder: (_request, { ttl }) => new RateLimitedError(ttl / 1000),
    enableDraftSpec: true,
    ...(counters === null ? { cache: MAX_CLIENTS } : { store: rateLimitStore(counters) }),
  });
  const inMemory = createClientCounters({ maxClients: MAX_CLIENTS, windowMillis });
  const begun = new WeakMap<FastifyRequest, Promise<Counter>>();

  function count(request: FastifyRequest): Counter | Promise<Counter> {
    const client = counterKey(request.clientIp);
    return counters === null
      ? inMemory.increment(client)
      : counters.increment(`${RATE_LIMIT_PREFIX}${client}`, windowMillis);
  }

  app.decorate('beginRateLimit', function beginRateLimit(request: FastifyRequest) {
    // Memory answers at once, and counts only whom the limit is for.
    if (counters === null || !isUnderCommonLimit(request)) return;
    const counting = Promise.resolve(count(request));
    // Whoever waits for it is told; nobody may.
    counting.catch(() => {});
    begun.set(request, counting);
  });

  function refuseBeyond(reply: FastifyReply, { value, remainingMillis }: Counter): void {
    const seconds = Math.ceil(remainingMillis / 1000);
    const remaining = Math.max(0, maxRequests - value);
    reply
      .header('ratelimit-limit', maxRequests)
      .header('ratelimit-remaining', remaining)
      .header('ratelimit-reset', seconds);
    if (value <= maxRequests) return;
    reply.header('retry-after', seconds);
    throw new RateLimitedError(remainingMillis / 1000);
  }

  /** With a promise, which Fastify awaits, only where the count is another process's. */
  function rateLimit(request: FastifyRequest, reply: FastifyReply, done: () => void): void | Promise<void> {
    const counted = begun.get(request) ?? count(request);
    if (counted instanceof Promise) return counted.then((counter) => refuseBeyond(reply, counter));
    refuseBeyond(reply, counted);
    return done();
  }

  // A hook of each route, so that it comes after those of the instance.
  app.addHook('onRoute', function limitRoute(route: RouteOptions) {
    if (route.config?.rateLimit === undefined) route.onRequest = [route.onRequest ?? [], rateLimit].flat();
  });
  // An unknown path has no route.
  app.addHook('preParsing', function limitUnknownPaths(request, reply, _payload, done) {
    return request.is404 ? rateLimit(request, reply, done) : done();
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
