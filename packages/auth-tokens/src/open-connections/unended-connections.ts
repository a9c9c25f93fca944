import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';

/** The time that a handler has to call `onEnd`, in milliseconds. */
const PATIENCE_MILLIS = 2000;

export interface UnendedConnectionsOptions {
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Whether the request has called `onEnd`. */
  readonly hasCall: (request: FastifyRequest) => boolean;
  readonly isClosed: (request: FastifyRequest) => boolean;
}

/**
 * Warns once for each route that hijacks its reply, as WebSockets do, keeps it open, and doesn't call `onEnd`. Only
 * hijacked requests have a cost.
 */
export function createUnendedConnections({ log, hasCall, isClosed }: UnendedConnectionsOptions) {
  const told = new Set<string>();

  function tell(request: FastifyRequest, reply: FastifyReply): void {
    if (hasCall(request) || isClosed(request) || reply.raw.writableEnded) return;
    const route = `${request.method} ${request.routeOptions.url ?? 'of an unknown path'}`;
    if (told.has(route)) return;
    told.add(route);
    log.warn(
      `auth-tokens: ${route} has hijacked its connection without a call of authTokens.onEnd(request, close): it stays ` +
        'open after its session has ended',
    );
  }

  return function watchTakeover(request: FastifyRequest, reply: FastifyReply): void {
    const { hijack } = reply;
    reply.hijack = function hijackWatched() {
      hijack.call(reply);
      setTimeout(tell, PATIENCE_MILLIS, request, reply).unref();
      return reply;
    };
  };
}
