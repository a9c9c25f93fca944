import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

export interface GracefulStopOptions {
  /** The time for which a stop waits for requests in progress, in milliseconds. Remaining requests are aborted. */
  readonly drainMillis: number;
}

/**
 * An open connection. A set of responses would change with each request: V8 keeps what its discarded tables contain,
 * until the next collection of old objects.
 */
interface Connection {
  isUnused: boolean;
  /** The last of the requests in progress. Requests that were sent before it are answered first. */
  response: ServerResponse | null;
}

/** The interval at which a stop checks for connections that have become idle, in milliseconds. */
const CHECK_MILLIS = 50;

/**
 * Makes a stop wait for the requests in progress, but for no other connection (OPS-7). Node.js itself also waits for
 * connections that were opened in advance, for connections kept alive after their last answer, and forever for requests
 * that never complete.
 */
async function gracefulStopPlugin(app: FastifyInstance, { drainMillis }: GracefulStopOptions): Promise<void> {
  const { server } = app;
  const connections = new Map<Socket, Connection>();
  let requests = 0;
  let isStopping = false;
  let checking: NodeJS.Timeout | undefined;
  let cutting: NodeJS.Timeout | undefined;

  server.on('connection', function noteConnection(socket: Socket) {
    if (isStopping) {
      socket.destroy();
      return;
    }
    connections.set(socket, { isUnused: true, response: null });
    socket.once('close', () => connections.delete(socket));
  });
  function forgetResponse(this: ServerResponse): void {
    requests -= 1;
    const connection = connections.get(this.req.socket);
    if (connection?.response === this) connection.response = null;
  }
  server.on('request', function noteRequest({ socket }: IncomingMessage, response: ServerResponse) {
    requests += 1;
    const connection = connections.get(socket);
    if (connection !== undefined) {
      connection.isUnused = false;
      connection.response = response;
    }
    response.on('close', forgetResponse);
  });

  app.addHook('preClose', async function endConnections() {
    if (!server.listening) return;
    // Input that has already arrived is read first, because it is a request in progress.
    await turn();
    isStopping = true;
    for (const [socket, { isUnused, response }] of connections) {
      if (isUnused && socket.bytesRead === 0) socket.destroy();
      if (response?.headersSent === false) response.setHeader('connection', 'close');
    }
    checking = setInterval(() => server.closeIdleConnections(), CHECK_MILLIS);
    cutting = setTimeout(function cutConnections() {
      app.log.warn({ requests }, 'requests were aborted that did not end in time');
      server.closeAllConnections();
    }, drainMillis);
  });

  // Runs after the server has closed, or has failed to close.
  app.addHook('onClose', async function endChecks() {
    clearInterval(checking);
    clearTimeout(cutting);
  });
}

export const gracefulStop = fp(gracefulStopPlugin, { fastify: '5.x', name: 'graceful-stop' });
