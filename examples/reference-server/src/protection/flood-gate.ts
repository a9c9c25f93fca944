import { counterKey } from '@sallyport/client-ip';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../http/errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** A decorator, for requests that reach no hook, such as those with a target that can't be decoded. */
    readonly floodGate: FloodGate;
  }
  interface FastifyRequest {
    /** The flood gate refused this request. It is not processed further and not logged. */
    floodRefused: boolean;
  }
  interface FastifyContextConfig {
    /**
     * The amount that a request of the route adds to the count of its client. Default 1. With less, a client may send
     * more of them.
     */
    floodCost?: number;
  }
}

export interface FloodGateOptions {
  /** Requests of one client per window. */
  readonly maxRequests: number;
  /** Length of the window, in seconds. */
  readonly windowSeconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

export interface FloodGate {
  /** Counts a request. Returns 0 if it may pass, else the seconds until the client may retry. */
  secondsToWait(client: string, cost?: number): number;
  /** Adds to the count of a request that has passed. */
  charge(client: string, cost: number): void;
  /** The end of the present window, in milliseconds since the Unix epoch. */
  windowEndsAt(): number;
}

/**
 * Maximum number of clients per window; about 10 MB. When it is reached, clients that are new in this window are
 * refused until it ends. An attack from that many networks exhausts the machine before it fills the table.
 */
const MAX_CLIENTS = 100_000;

/**
 * Counts requests per client in windows that start for all clients at once, so that an expired window is one dropped
 * map.
 */
export function createFloodGate({ maxRequests, windowSeconds, now = Date.now }: FloodGateOptions): FloodGate {
  const windowMillis = windowSeconds * 1000;
  let windowEndsAt = 0;
  let counts = new Map<string, number>();

  function startNewWindow(time: number): void {
    if (time < windowEndsAt && time >= windowEndsAt - windowMillis) return;
    windowEndsAt = time + windowMillis;
    counts = new Map();
  }

  return {
    secondsToWait(client, cost = 1) {
      const time = now();
      startNewWindow(time);
      const count = counts.get(client) ?? (counts.size < MAX_CLIENTS ? 0 : maxRequests);
      if (count >= maxRequests) return Math.ceil((windowEndsAt - time) / 1000);
      counts.set(client, count + cost);
      return 0;
    },
    charge(client, cost) {
      startNewWindow(now());
      if (counts.has(client) || counts.size < MAX_CLIENTS) counts.set(client, (counts.get(client) ?? 0) + cost);
    },
    windowEndsAt() {
      startNewWindow(now());
      return windowEndsAt;
    },
  };
}

/**
 * A coarse limit before any expensive work: no I/O, no token check, no SM2 (ORD-3). IPv6 clients are counted by their
 * /64, as in all limits. A wrong registration order fails the start (ORD-4).
 */
async function floodGatePlugin(app: FastifyInstance, options: FloodGateOptions): Promise<void> {
  if (app.hasRequestDecorator('principal')) throw new Error('flood-gate: register it before @sallyport/auth-tokens');
  const gate = createFloodGate(options);
  app.decorate('floodGate', gate);
  app.decorateRequest('floodRefused', false);
  app.addHook('onRequest', function floodGate(request: FastifyRequest, _reply, done) {
    const seconds = gate.secondsToWait(counterKey(request.clientIp), request.routeOptions.config.floodCost);
    request.floodRefused = seconds !== 0;
    if (request.floodRefused) done(new RateLimitedError(seconds));
    else done();
  });
}

export const floodGate = fp(floodGatePlugin, {
  fastify: '5.x',
  name: 'flood-gate',
  decorators: { request: ['clientIp'] },
});
