import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

export interface GracefulStopOptions {
  /** How long a stop waits for the requests under way, in milliseconds. What is still open then is cut. */
  readonly drainMillis: number;
}

/** How often a stop looks for connections whose last answer is out, in milliseconds. */
const CHECK_MILLIS = 50;

/**
 * A stop waits for the requests under way, and for no other connection (OPS-7). Node by itself waits for those on which
 * nothing was ever sent, such as clients open in advance, for those that were kept after an answer that was under way,
 * and without end for requests that don't come to their end.
 */
async function gracefulStopPlugin(app: FastifyInstance, { drainMillis }: GracefulStopOptions): Promise<void> {
  const { server } = app;
  const unused = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  let isStopping = false;
  let checking: NodeJS.Timeout | undefined;
  let cutting: NodeJS.Timeout | undefined;

  server.on('connection', function noteConnection(socket: Socket) {
    if (isStopping) {
      socket.destroy();
      return;
    }
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  function forgetResponse(this: ServerResponse): void {
    underWay.delete(this);
  }
  server.on('request', function noteRequest({ socket }: IncomingMessage, response: ServerResponse) {
    unused.delete(socket);
    underWay.add(response);
    response.on('close', forgetResponse);
  });

  app.addHook('preClose', async function endConnections() {
    if (!server.listening) return;
    // What has arrived by now is read first: it is a request under way.
    await turn();
    isStopping = true;
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close');
    checking = setInterval(() => server.closeIdleConnections(), CHECK_MILLIS);
    cutting = setTimeout(function cutConnections() {
      app.log.warn({ requests: underWay.size }, 'requests were cut that did not end in time');
      server.closeAllConnections();
    }, drainMillis);
  });

  // Runs when the server has closed, or could not be.
  app.addHook('onClose', async function endChecks() {
    clearInterval(checking);
    clearTimeout(cutting);
  });
}

export const gracefulStop = fp(gracefulStopPlugin, { fastify: '5.x', name: 'graceful-stop' });
