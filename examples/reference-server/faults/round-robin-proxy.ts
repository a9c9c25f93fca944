import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createConnection, type Socket } from 'node:net';

/** A round-robin reverse proxy on a loopback port. */
export interface RoundRobinProxy {
  readonly origin: string;
  /** The number of requests to each server, in the order of their ports. */
  served(): readonly number[];
  close(): Promise<void>;
}

export interface RoundRobinProxyOptions {
  /** Whether clients are proxies whose forwarding headers are kept. Default false. */
  readonly isBehindProxy?: boolean;
}

/**
 * Like nginx without health checks: a server that refuses the connection is skipped. A later failure is answered with
 * 502, and the client may retry. Forwarding headers from clients are overwritten.
 */
export async function startRoundRobinProxy(
  ports: readonly number[],
  { isBehindProxy = false }: RoundRobinProxyOptions = {},
): Promise<RoundRobinProxy> {
  const served = ports.map(() => 0);
  let turn = 0;

  async function connectNext(): Promise<Socket | null> {
    for (let tried = 0; tried < ports.length; tried += 1) {
      const index = turn % ports.length;
      turn += 1;
      const socket = await connectTo(ports[index]!);
      if (socket === null) continue;
      served[index]! += 1;
      return socket;
    }
    return null;
  }

  const server = createServer(async (incoming, outgoing) => {
    const socket = await connectNext();
    if (socket === null) outgoing.writeHead(502).end();
    else passOn(incoming, outgoing, socket, isBehindProxy);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    served: () => [...served],
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function connectTo(port: number): Promise<Socket | null> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return null;
  }
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, socket: Socket, isBehindProxy: boolean): void {
  const { method, url, headers } = incoming;
  const client = incoming.socket.remoteAddress;
  const said = isBehindProxy ? headers['x-forwarded-for'] : undefined;
  const forwardedFor = said === undefined ? client : `${said}, ${client}`;
  const own = { 'x-forwarded-for': forwardedFor, connection: 'close' };
  const upstream = request({ method, path: url, headers: { ...headers, ...own }, createConnection: () => socket });
  upstream.on('response', (response) => {
    const { connection: _ofThatHop, ...rest } = response.headers;
    outgoing.writeHead(response.statusCode!, rest);
    response.pipe(outgoing);
    response.once('error', () => outgoing.destroy());
  });
  upstream.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  // A client's disconnect aborts its request.
  outgoing.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
}
