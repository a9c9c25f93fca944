import { once } from 'node:events';
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Forged,
  WireAnswer,
  WireRequest,
} from '../../../../packages/envelope-crypto/test/client/hostile/forgeries.js';
import {
  createManInTheMiddle,
  type ManInTheMiddle,
} from '../../../../packages/envelope-crypto/test/client/hostile/man-in-the-middle.js';

/** Headers that belong to one connection. */
const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'expect',
];

/** An attacker between clients and the service: both speak HTTP with him. */
export interface AttackerProxy {
  readonly attacker: ManInTheMiddle;
  /** The origin that the clients take for the service. */
  readonly origin: string;
  /** Passes requests to this origin from now on. */
  leadTo(origin: string): void;
  close(): Promise<void>;
}

/** @param secret what only the plaintext of a request contains */
export async function startAttackerProxy(secret: string): Promise<AttackerProxy> {
  let service = '';
  const collector = createServer((incoming, outgoing) => {
    void readRequest(incoming).then((request) => {
      attacker.collect(request);
      outgoing.end();
    });
  });
  const ownOrigin = await listen(collector);
  const attacker = createManInTheMiddle({ forward: (request) => forward(service, request), ownOrigin, secret });
  const proxy = createServer((incoming, outgoing) => {
    readRequest(incoming)
      .then((request) => attacker.handle(request))
      .then((answer) => write(outgoing, answer))
      .catch(() => outgoing.destroy());
  });
  return {
    attacker,
    origin: await listen(proxy),
    leadTo(origin) {
      service = origin;
    },
    async close() {
      for (const server of [proxy, collector]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = (await readBody(incoming)).toString();
  return { method, target: url, headers: withoutHops(headers), body };
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function withoutHops(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

async function forward(origin: string, { method, target, headers, body }: WireRequest): Promise<WireAnswer> {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const sending = openRequest(origin + target, { method, headers: { ...headers, ...length } });
  sending.end(body);
  const [received] = (await once(sending, 'response')) as [IncomingMessage];
  const answer = (await readBody(received)).toString();
  return { status: received.statusCode!, headers: withoutHops(received.headers), body: answer };
}

/** Milliseconds between two bytes of an answer that trickles. */
const TRICKLE_MILLIS = 100;

function write(outgoing: ServerResponse, answer: Forged): void {
  if (answer === null) outgoing.destroy();
  // The client gives up, or the proxy ends its connections.
  else if (answer === 'no answer') return;
  else if (answer === 'trickle') {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).write('{');
    // The client may be gone already, and 'close' with it.
    const trickling = setInterval(() => {
      if (outgoing.destroyed) clearInterval(trickling);
      else outgoing.write(' ');
    }, TRICKLE_MILLIS);
    trickling.unref();
  } else outgoing.writeHead(answer.status, answer.headers).end(answer.body);
}
