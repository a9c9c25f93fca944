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
    /** The permit of a request with an open query envelope. */
    openingPermit: OpeningPermit | null;
  }
}

export interface QueryOpenings {
  /** Opens the query envelope of the request by `open` when it is the client's turn. */
  open(request: FastifyRequest, reply: FastifyReply, open: () => Promise<void>): Promise<void>;
}

/**
 * The cost of opening a query envelope, in requests of the flood gate. The opening comes before the rate limits
 * (ORD-1), and costs more than any other refusal (ORD-6).
 */
const PRICE = 20;

/** The time for which an aborted request waits for the replay guard, in milliseconds. */
const MAX_CLAIM_MILLIS = 500;

/**
 * Bounds what one client can make the server open, and refuses no honest request (ORD-6). The number of openings that
 * may run, or have failed in a window, is the limit of the flood gate divided by their price. The gate itself counts
 * each request once, so that a neighbour who sends no query envelope, or has a session, is not charged for failed ones
 * (ORD-7).
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
        // The client may have disconnected while it waited.
        if (reply.raw.destroyed) throw new RateLimitedError(1);
        await open();
        request.openingPermit = permit;
        // Fastify does not run onResponse for a disconnected client.
        if (reply.raw.destroyed) endOfAborted(request, permit);
        else reply.raw.once('close', () => endOfAborted(request, permit));
      } catch (error) {
        if (error instanceof EnvelopeRejectedError) permit.spend();
        else permit.giveBack();
        throw error;
      }
    },
  });

  // Done after the replay guard, because a handler may take long.
  app.addHook('preHandler', function giveOpeningPermitBack(request: FastifyRequest, _reply, done) {
    if (request.envelope?.state === 'claimed') request.openingPermit?.giveBack();
    done();
  });

  app.addHook('onError', function endRefusedOpening(request: FastifyRequest, _reply, error, done) {
    const { openingPermit, envelope } = request;
    if (envelope?.state === 'replayed') openingPermit?.spend();
    // A request that is refused after a loss of nonces, or for a late clock, may be honest.
    else if (error instanceof EnvelopeExpiredOrReplayedError) openingPermit?.giveBack();
    done();
  });

  app.addHook('onResponse', function endOpeningPermit(request: FastifyRequest, reply, done) {
    // Without its stores (503), the server must not keep clients waiting.
    if (reply.statusCode >= 500) request.openingPermit?.giveBack();
    else endByClaim(request, request.openingPermit);
    done();
  });

  /**
   * The envelope was not claimed, because of a rate limit or an abort, so it is unknown whether the nonce was used
   * before. Without this rule, an envelope could be sent repeatedly.
   */
  function endByClaim({ envelope }: FastifyRequest, permit: OpeningPermit | null): void {
    if (envelope?.state === 'claimed') permit?.giveBack();
    else permit?.spend();
  }

  /** A reloaded page aborts its requests while the replay guard's answer for them is still pending. */
  function endOfAborted(request: FastifyRequest, permit: OpeningPermit): void {
    startDeadline(MAX_CLAIM_MILLIS, () => endByClaim(request, permit));
  }
}

export const queryOpenings = fp(queryOpeningsPlugin, {
  fastify: '5.x',
  name: 'query-openings',
  dependencies: ['flood-gate'],
});
