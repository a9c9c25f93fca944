import { counterKey } from '@sallyport/client-ip';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The flood gate turned this request away: nothing else was done for it, and no log line is written for it. */
    floodRefused: boolean;
  }
}

export interface FloodGateOptions {
  /** Requests of one client in a window. */
  readonly maxRequests: number;
  /** Length of the window, in seconds. */
  readonly windowSeconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

export interface FloodGate {
  /** Counts one request. Yields 0 when it may pass, else the seconds until the client may try again. */
  secondsToWait(client: string): number;
}

/**
 * The most clients counted in one window: about 10 MB. When as many are counted, a client not seen in this window is
 * refused until it ends: an attack from that many networks has filled the machine before it fills the table.
 */
const MAX_CLIENTS = 100_000;

/** Counts requests by client in windows that begin for all at once, so that forgetting a window is dropping one map. */
export function createFloodGate({ maxRequests, windowSeconds, now = Date.now }: FloodGateOptions): FloodGate {
  const windowMillis = windowSeconds * 1000;
  let windowEndsAt = 0;
  let counts = new Map<string, number>();
  return {
    secondsToWait(client) {
      const time = now();
      if (time >= windowEndsAt || time < windowEndsAt - windowMillis) {
        windowEndsAt = time + windowMillis;
        counts = new Map();
      }
      const count = counts.get(client) ?? (counts.size < MAX_CLIENTS ? 0 : maxRequests);
      if (count >= maxRequests) return Math.ceil((windowEndsAt - time) / 1000);
      counts.set(client, count + 1);
      return 0;
    },
  };
}

/**
 * A coarse gate in front of everything that costs: no I/O, no token check, no SM2 (ORD-3). IPv6 clients are counted by
 * their /64, as everywhere. Registered where it would come too late, it refuses the start (ORD-4).
 */
async function floodGatePlugin(app: FastifyInstance, options: FloodGateOptions): Promise<void> {
  if (app.hasRequestDecorator('principal')) throw new Error('flood-gate: register it before @sallyport/auth-tokens');
  const gate = createFloodGate(options);
  app.decorateRequest('floodRefused', false);
  app.addHook('onRequest', async function floodGate(request: FastifyRequest) {
    const seconds = gate.secondsToWait(counterKey(request.clientIp));
    if (seconds === 0) return;
    request.floodRefused = true;
    throw new RateLimitedError(seconds);
  });
}

export const floodGate = fp(floodGatePlugin, {
  fastify: '5.x',
  name: 'flood-gate',
  decorators: { request: ['clientIp'] },
});
