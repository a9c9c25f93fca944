import { constants, type Http2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseSessionId } from '../sessions/index.js';
import type { OpenConnection, OpenConnections } from './open-connections.js';
import { announcesBody } from './request-body.js';
import { gateBody } from './session-gate.js';
import { watchUnendedConnections } from './unended-connections.js';

/** A connection that can wait while the store is unavailable. */
export interface WaitingConnection {
  /** The store is unavailable. Send nothing new. */
  pause(): void;
  /** The session is known to be live again. Continue. */
  resume(): void;
}

/** Connections that end with their session. Streams that Fastify sends and bodies that it receives need no call. */
export interface ConnectionEnds {
  /**
   * Calls `close` once, with the refusal, within 2 s after the session of the request has ended on any node. In
   * `close`, end everything that the request has open, such as a WebSocket or an event stream that the handler writes
   * itself. While the store is unavailable, `waiting.pause` is called after 2 s without an answer, `waiting.resume`
   * when the store is back, and `close` with SESSION_STORE_UNAVAILABLE after 10 s. Streams that a handler returns or
   * sends, and bodies of requests, need no call. A WebSocket calls `confirm(request)` for each message that changes
   * something: `close` may come 2 s after the end.
   *
   * Returns a function that cancels this. The end of the response or of the connection also cancels it.
   *
   * @example
   * ```ts
   * const close = (error: Error) => {
   *   socket.removeAllListeners('message'); // a client need not close its side at once
   *   socket.close(1008, error.message);
   *   setTimeout(() => socket.terminate(), 1000); // or ever
   * };
   * app.authTokens.onEnd(request, close, waiting);
   * socket.on('message', (alert) => {
   *   // Before each change: what has ended on another node is closed within 2 s.
   *   app.authTokens.confirm(request).then(() => alerts.push(`${alert}`), close);
   * });
   * ```
   *
   * @throws SessionConnectionsExceededError (429) if the session has `maxOpenConnections` open on this node
   */
  onEnd(request: FastifyRequest, close: (error: Error) => unknown, waiting?: WaitingConnection): () => void;
}

export interface WatchedConnections {
  readonly onEnd: ConnectionEnds['onEnd'];
  /**
   * Ends the request with its session while its body arrives, unless the body is JSON. Call it when the sender is
   * known.
   */
  watchBody(request: FastifyRequest, reply: FastifyReply): void;
  /** The same for a JSON body, if a handler reads it. A body with a parser is complete before preHandler. */
  watchUnreadBody(request: FastifyRequest, reply: FastifyReply): void;
  /** Warns if the handler hijacks the reply, keeps it open, and does not call `onEnd`. */
  watchTakeover(reply: FastifyReply): void;
}

/** The open connection of a request. */
interface OpenOfRequest {
  readonly takeBacks: Set<() => void>;
  /** Called when the response or its connection ends. */
  readonly end: () => void;
  /** How many answers may pass. The handler of a refused request also answers, and two heads would be an error. */
  answersLeft: number;
  /** Whether `onEnd` was called. */
  hasCall: boolean;
}

const kOpen = Symbol('@sallyport/auth-tokens: open connections');

declare module 'fastify' {
  interface FastifyRequest {
    /** @internal */
    [kOpen]: OpenOfRequest | null;
  }
}

/** The time limit of the answer to an unfinished request. After that its connection is cut without an answer. */
const MAX_ANSWER_MILLIS = 500;

/** A request whose body a parser reads as a whole is answered when the body is complete (TOK-13). */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

const NOTHING: OpenConnection['pause'] = () => {};

/** Ends responses and request bodies of Fastify together with their session. Decorates requests, and adds the hooks. */
export function watchConnections(fastify: FastifyInstance, open: OpenConnections): WatchedConnections {
  fastify.decorateRequest(kOpen, null);
  const watchedBodies = new WeakSet<FastifyRequest>();

  /** Registers the connection until the response or its connection ends. */
  function openFor(request: FastifyRequest, connection: OpenConnection): () => void {
    const takeBack = open.add(sessionIdOf(request), connection);
    request[kOpen] ??= watchEnd(connectionOf(request));
    const { takeBacks } = request[kOpen];
    takeBacks.add(takeBack);
    // While the store was asked, the client may have left. The end of the connection is past, and comes no more.
    if (connectionOf(request)?.destroyed) request[kOpen].end();
    return function takeBackBoth() {
      takeBacks.delete(takeBack);
      takeBack();
    };
  }

  fastify.addHook('onResponse', function endConnections(request, _reply, done) {
    request[kOpen]?.end();
    done();
  });

  fastify.addHook('onSend', function gateAnswer(request, reply, payload, done) {
    // `done` is not called, so the answer stops here.
    if (request[kOpen] != null && --request[kOpen].answersLeft < 0) return;
    if (typeof payload !== 'object' || payload === null || !hasSession(request)) return done();
    if (connectionOf(request)?.destroyed) return done();
    const gated = gateBody(payload);
    if (gated === null) return done();
    try {
      const { pause, resume } = gated;
      const close = (error: Error) => {
        breakOff(reply);
        gated.destroy(error);
      };
      gated.onClose(openFor(request, { close, pause, resume }));
      done(null, gated.body);
    } catch (error) {
      gated.destroy(error as Error);
      done(error as Error);
    }
  });

  function watchUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
    // Only the HTTP parser knows this. Where it doesn't say, as under `inject`, the body is complete.
    if (request.raw.complete !== false || !announcesBody(request) || watchedBodies.has(request)) return;
    watchedBodies.add(request);
    const refuse = refuserOf(request, reply);
    const takeBack = openFor(request, { close: refuse, pause: NOTHING, resume: NOTHING });
    request.raw.once('end', takeBack);
  }

  return {
    onEnd(request, close, waiting) {
      if (typeof close !== 'function') throw new TypeError('onEnd(request, close): close must be a function');
      const pause = () => waiting?.pause();
      const resume = () => waiting?.resume();
      const takeBack = openFor(request, { close, pause, resume });
      request[kOpen]!.hasCall = true;
      return takeBack;
    },

    watchBody(request, reply) {
      if (request.raw.complete !== false || JSON_TYPE.test(request.headers['content-type'] ?? '')) return;
      watchUnreadBody(request, reply);
    },

    watchUnreadBody,

    watchTakeover: watchUnendedConnections(fastify, {
      hasSession,
      hasCall: (request) => request[kOpen]?.hasCall === true,
      isClosed: (request) => connectionOf(request)?.destroyed === true,
    }),
  };
}

/** A principal that another authentication of the application has set does not count. */
export function hasSession({ principal }: FastifyRequest): boolean {
  return principal != null && parseSessionId(principal.sessionId) !== null;
}

function sessionIdOf({ principal }: FastifyRequest): string {
  if (principal == null) throw new TypeError('The request has no session: request.principal is null');
  return principal.sessionId;
}

/**
 * Over HTTP/2, a request has its own stream, and shares the socket with others. The requests of `injectWS` of
 * @fastify/websocket have neither.
 */
function connectionOf({ raw }: FastifyRequest): Socket | Http2Stream | undefined {
  return (raw as { readonly stream?: Http2Stream }).stream ?? raw.socket;
}

function watchEnd(connection: Socket | Http2Stream | undefined): OpenOfRequest {
  const takeBacks = new Set<() => void>();
  function end(): void {
    // The connection may serve other requests.
    connection?.off('close', end);
    for (const takeBack of takeBacks) takeBack();
    takeBacks.clear();
  }
  connection?.once('close', end);
  return { takeBacks, end, answersLeft: Number.POSITIVE_INFINITY, hasCall: false };
}

/**
 * The client must not take a partial response for a complete one. If no head was sent, the failed stream is answered
 * with its error.
 */
function breakOff({ raw }: FastifyReply): void {
  if (raw.headersSent) cut(raw);
  else cutSoon(raw);
}

/** For the case that no answer comes, such as when a hook waits for a database. */
function cutSoon(raw: FastifyReply['raw']): void {
  const timer = setTimeout(() => cut(raw), MAX_ANSWER_MILLIS).unref();
  raw.once('close', () => clearTimeout(timer));
}

function cut(raw: FastifyReply['raw']): void {
  const { stream } = raw as { readonly stream?: Http2Stream };
  // Without an error code, an HTTP/2 client would take the answer for complete.
  if (stream === undefined) raw.destroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/**
 * Answers a request whose body is incomplete, and cuts its connection, so that its handler stops reading. The handler
 * may answer at the same time: `gateAnswer` then lets the first answer pass.
 */
function refuserOf(request: FastifyRequest, reply: FastifyReply): (error: Error) => void {
  const { raw } = reply;
  const { send } = reply;
  let isAnswered = false;
  // Fastify doesn't report an answer that its hooks delay.
  reply.send = function noteAnswer(payload) {
    isAnswered = true;
    return send.call(reply, payload);
  };

  return function refuse(error) {
    // A complete body is not accepted either. The session is checked again before the handler acts (TOK-13).
    if (request.raw.complete) return;
    const end = () => cutRequest(request, error);
    if (raw.headersSent || reply.sent) return end();
    raw.once('finish', end);
    cutSoon(raw);
    if (isAnswered) return;
    if (request[kOpen] != null) request[kOpen].answersLeft = 1;
    // Over HTTP/2, the answer would end the body as if it were complete. Over HTTP/1, this ends the connection.
    if (request.raw.httpVersionMajor === 2) failBody(request, error);
    else reply.header('connection', 'close');
    reply.send(error);
  };
}

/**
 * The handler's reading fails with the refusal. Node.js doesn't end it, because for Node.js an answered request is
 * over.
 */
function cutRequest(request: FastifyRequest, error: Error): void {
  // The listener is added first, so that this is not an error of the socket.
  connectionOf(request)?.destroy();
  failBody(request, error);
}

function failBody({ raw }: FastifyRequest, error: Error): void {
  raw.on('error', NOTHING).destroy(error);
}
