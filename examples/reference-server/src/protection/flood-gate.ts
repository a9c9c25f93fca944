import { counterKey } from '@sallyport/client-ip';
import { ENVELOPE_PARAMETER } from '@sallyport/envelope-crypto/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../http/errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Also for requests that reach no hook, such as targets that can't be decoded. */
    readonly floodGate: FloodGate;
  }
  interface FastifyRequest {
    /** The flood gate refused this request. It is not processed further and not logged. */
    floodRefused: boolean;
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
  /** Counts a request as `cost` requests. Returns 0 if it may pass, else the seconds until the client may retry. */
  secondsToWait(client: string, cost?: number): number;
  /** Reverts a part of the cost. */
  refund(client: string, cost: number): void;
}

/**
 * Maximum number of clients per window; about 10 MB. When it is reached, clients that are new in this window are
 * refused until it ends. An attack from that many networks exhausts the machine before it fills the table.
 */
const MAX_CLIENTS = 100_000;

/**
 * An envelope in the query is opened before the rate limit (ORD-1), and costs a hundred times as much as any other
 * refusal. It counts as this many requests until it is answered with success. Successful requests are subject to the
 * rate limits, so only forgeries keep the cost.
 */
const QUERY_ENVELOPE_COST = 20;

/**
 * Counts requests per client in windows that start for all clients at once, so that an expired window is one dropped
 * map.
 */
export function createFloodGate({ maxRequests, windowSeconds, now = Date.now }: FloodGateOptions): FloodGate {
  const windowMillis = windowSeconds * 1000;
  let windowEndsAt = 0;
  let counts = new Map<string, number>();
  return {
    secondsToWait(client, cost = 1) {
      const time = now();
      if (time >= windowEndsAt || time < windowEndsAt - windowMillis) {
        windowEndsAt = time + windowMillis;
        counts = new Map();
      }
      const count = counts.get(client) ?? (counts.size < MAX_CLIENTS ? 0 : maxRequests);
      if (count >= maxRequests) return Math.ceil((windowEndsAt - time) / 1000);
      counts.set(client, count + cost);
      return 0;
    },
    refund(client, cost) {
      const count = counts.get(client);
      if (count !== undefined) counts.set(client, Math.max(0, count - cost));
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
    const cost = carriesQueryEnvelope(request) ? QUERY_ENVELOPE_COST : 1;
    const seconds = gate.secondsToWait(counterKey(request.clientIp), cost);
    request.floodRefused = seconds !== 0;
    if (request.floodRefused) done(new RateLimitedError(seconds));
    else done();
  });
  app.addHook('onResponse', function refundFloodGate(request: FastifyRequest, reply: FastifyReply, done) {
    const isRefunded = !request.floodRefused && reply.statusCode < 400 && carriesQueryEnvelope(request);
    if (isRefunded) gate.refund(counterKey(request.clientIp), QUERY_ENVELOPE_COST - 1);
    done();
  });
}

/** Decides by the text of the target, without parsing it. */
function carriesQueryEnvelope({ raw }: FastifyRequest): boolean {
  return raw.url?.includes(`?${ENVELOPE_PARAMETER}=`) ?? false;
}

export const floodGate = fp(floodGatePlugin, {
  fastify: '5.x',
  name: 'flood-gate',
  decorators: { request: ['clientIp'] },
});
