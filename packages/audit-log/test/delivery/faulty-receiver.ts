import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How the receiver behaves. Those after `failing` have taken the batch, and the sender doesn't learn it. */
export const FAULTS = ['none', 'failing', 'hanging', 'half-read', 'half-answered', 'unanswered', 'away'] as const;
export type ReceiverFault = (typeof FAULTS)[number];

export interface FaultyReceiver {
  readonly url: string;
  /** The sequence and id of every line, as they arrived. */
  readonly arrived: (readonly [sequence: number, id: string])[];
  /** How many batches each fault met. */
  readonly met: Map<ReceiverFault, number>;
  set(fault: ReceiverFault): Promise<void>;
  close(): Promise<void>;
}

/** An HTTP receiver of NDJSON that fails in several ways, and comes back. */
export async function startFaultyReceiver(): Promise<FaultyReceiver> {
  const arrived: (readonly [number, string])[] = [];
  const met = new Map<ReceiverFault, number>();
  let fault: ReceiverFault = 'none';
  let port = 0;
  let server: Server;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    met.set(fault, (met.get(fault) ?? 0) + 1);
    if (fault === 'failing') return void request.resume().on('end', () => response.writeHead(503).end());
    if (fault === 'half-read') return void request.once('data', () => request.destroy());
    if (fault === 'hanging') return void request.resume();
    const now = fault;
    const lines = (await text(request)).trimEnd().split('\n');
    for (const line of lines) {
      const { sequence, id } = JSON.parse(line);
      arrived.push([sequence, id]);
    }
    if (now === 'unanswered') request.destroy();
    else if (now === 'half-answered')
      response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy());
    else response.writeHead(202).end();
  }
  async function open(): Promise<void> {
    server = createServer((request, response) => void receive(request, response).catch(() => {}));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }
  async function close(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
  await open();
  return {
    url: `http://127.0.0.1:${port}/`,
    arrived,
    met,
    async set(next) {
      if (fault === 'away') await open();
      fault = next;
      if (fault === 'away') await close();
    },
    close,
  };
}
