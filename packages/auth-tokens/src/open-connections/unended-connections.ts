import { replaceReplyMethod } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The time that a handler has to call `onEnd`, in milliseconds. */
const PATIENCE_MILLIS = 2000;

const kWatched = Symbol('@sallyport/auth-tokens: hijacked replies');

export interface UnendedConnectionsOptions {
  readonly hasSession: (request: FastifyRequest) => boolean;
  /** Whether the request has called `onEnd`. */
  readonly hasCall: (request: FastifyRequest) => boolean;
  readonly isClosed: (request: FastifyRequest) => boolean;
}

/**
 * Warns once for each route that hijacks the reply of a session, as WebSockets do, keeps it open, and doesn't call
 * `onEnd`. Only hijacked requests have a cost.
 *
 * @returns a function for each reply that may be hijacked
 */
export function watchUnendedConnections(
  fastify: FastifyInstance,
  { hasSession, hasCall, isClosed }: UnendedConnectionsOptions,
): (reply: FastifyReply) => void {
  const told = new Set<string>();

  function tell(request: FastifyRequest, reply: FastifyReply): void {
    if (hasCall(request) || isClosed(request) || reply.raw.writableEnded) return;
    const route = `${request.method} ${request.routeOptions.url ?? 'of an unknown path'}`;
    if (told.has(route)) return;
    told.add(route);
    fastify.log.warn(
      `auth-tokens: ${route} has hijacked its connection without a call of authTokens.onEnd(request, close): it stays ` +
        'open after its session has ended',
    );
  }

  return replaceReplyMethod(fastify, kWatched, 'hijack', function watched(hijack) {
    return function hijackWatched() {
      hijack.call(this);
      if (hasSession(this.request)) setTimeout(tell, PATIENCE_MILLIS, this.request, this).unref();
      return this;
    };
  });
}
