import { EnvelopeExpiredOrReplayedError, EnvelopeRejectedError } from '@sallyport/envelope-crypto';
import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimitedError } from '../http/errors.js';
import type { FloodGateOptions } from './flood-gate.js';
import { createOpeningPermits, type OpeningPermit } from './opening-permits.js';
import { whoPays } from './who-pays.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly queryOpenings: QueryOpenings;
  }
  interface FastifyRequest {
    /** Of a request whose query envelope is open. */
    openingPermit: OpeningPermit | null;
  }
}

export interface QueryOpenings {
  /** Opens the query envelope of the request by `open`, when it is the turn of its client. */
  open(request: FastifyRequest, reply: FastifyReply, open: () => Promise<void>): Promise<void>;
}

/**
 * What the opening of a query envelope costs, in requests of the flood gate. It comes before the rate limits (ORD-1),
 * and costs more than any other refusal (ORD-6).
 */
const PRICE = 20;

/** How long the replay guard may take with a request that was aborted, in milliseconds. */
const MAX_CLAIM_MILLIS = 500;

/**
 * Bounds what one client can make the server open, and refuses no honest request (ORD-6). As many openings may be under
 * way, or have failed in a window, as the flood gate has requests for their price. The gate itself counts each request
 * once: a neighbour who sends no query envelope, or has a session, is not charged for those that fail (ORD-7).
 */
async function queryOpeningsPlugin(app: FastifyInstance, { maxRequests, now = Date.now }: FloodGateOptions) {
  const { floodGate } = app;
  const permits = createOpeningPermits({
    perClient: Math.max(1, Math.floor(maxRequests / PRICE)),
    windowEndsAt: () => floodGate.windowEndsAt(),
  });
  app.decorateRequest('openingPermit', null);

  app.decorate('queryOpenings', {
    async open(request, reply, open) {
      const permit = await permits.take(whoPays(request));
      if (permit === null) throw new RateLimitedError((floodGate.windowEndsAt() - now()) / 1000);
      try {
        // The client may have gone while it waited.
        if (reply.raw.destroyed) throw new RateLimitedError(1);
        await open();
        request.openingPermit = permit;
        // Fastify runs no onResponse for a client that has gone.
        if (reply.raw.destroyed) endOfAborted(request, permit);
        else reply.raw.once('close', () => endOfAborted(request, permit));
      } catch (error) {
        if (error instanceof EnvelopeRejectedError) permit.spend();
        else permit.giveBack();
        throw error;
      }
    },
  });

  // After the replay guard. A handler may take its time.
  app.addHook('preHandler', function giveOpeningPermitBack(request: FastifyRequest, _reply, done) {
    if (request.envelope?.state === 'claimed') request.openingPermit?.giveBack();
    done();
  });

  app.addHook('onError', function endRefusedOpening(request: FastifyRequest, _reply, error, done) {
    const { openingPermit, envelope } = request;
    if (envelope?.state === 'replayed') openingPermit?.spend();
    // What a loss of nonces or a late clock refuses may be honest.
    else if (error instanceof EnvelopeExpiredOrReplayedError) openingPermit?.giveBack();
    done();
  });

  app.addHook('onResponse', function endOpeningPermit(request: FastifyRequest, reply, done) {
    // A server without its stores (503) keeps nobody waiting.
    if (reply.statusCode >= 500) request.openingPermit?.giveBack();
    else endByClaim(request, request.openingPermit);
    done();
  });

  /**
   * Not claimed: over a rate limit, or aborted. Nobody knows whether the nonce was used before. Without this, one
   * envelope could be sent again and again.
   */
  function endByClaim({ envelope }: FastifyRequest, permit: OpeningPermit | null): void {
    if (envelope?.state === 'claimed') permit?.giveBack();
    else permit?.spend();
  }

  /** A page that is reloaded aborts its requests, and the replay guard's answer for them is still on its way. */
  function endOfAborted(request: FastifyRequest, permit: OpeningPermit): void {
    startDeadline(MAX_CLAIM_MILLIS, () => endByClaim(request, permit));
  }
}

export const queryOpenings = fp(queryOpeningsPlugin, {
  fastify: '5.x',
  name: 'query-openings',
  dependencies: ['flood-gate'],
});
