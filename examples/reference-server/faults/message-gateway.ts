import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GatewayRequest {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly mobile?: string; readonly text?: string; readonly code?: string };
  readonly at: number;
  /** The status sent, or `silence`. */
  readonly answered: number | 'silence';
}

/** A loopback SMS gateway that the scenario controls. */
export interface TestGateway {
  readonly url: string;
  /** Every request, in order. */
  readonly requests: GatewayRequest[];
  /** Returns the status to send, or `silence` to accept the request and never answer. */
  answer: (request: Omit<GatewayRequest, 'answered'>) => number | 'silence';
  close(): Promise<void>;
}

export async function openGateway(): Promise<TestGateway> {
  const requests: GatewayRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const received = { headers: request.headers, text, body: JSON.parse(text), at: Date.now() };
    const answered = gateway.answer(received);
    requests.push({ ...received, answered });
    if (answered !== 'silence') response.writeHead(answered).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gateway: TestGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`,
    requests,
    answer: () => 200,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return gateway;
}
