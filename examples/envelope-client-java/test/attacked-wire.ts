import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as it was seen between client and service. */
export interface Passage {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** An answer of the attacker. */
export interface Forgery {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

type Request = Pick<Passage, 'method' | 'target' | 'headers' | 'body'>;

/** What the attacker does with a request: answers himself, changes the answer, or keeps it waiting. */
export interface Attack {
  readonly answer?: (request: Request) => Forgery | null;
  readonly change?: (request: Request, body: string) => string;
  readonly hold?: (request: Request, response: ServerResponse) => boolean;
}

/** A connection that an attacker holds: it passes everything on, and does what `attack` says. */
export interface AttackedWire {
  readonly origin: string;
  readonly passages: Passage[];
  attack: Attack;
  close(): Promise<void>;
}

export async function openWire(service: string): Promise<AttackedWire> {
  const passages: Passage[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url: target = '', headers } = incoming;
    const request = { method, target, headers, body: Buffer.concat(chunks).toString() };
    if (wire.attack.hold?.(request, response)) return;
    const forged = wire.attack.answer?.(request) ?? null;
    const { status, headers: sent, body } = forged ?? (await forward(request));
    const answer = forged === null ? (wire.attack.change?.(request, body) ?? body) : body;
    passages.push({ ...request, status, answer });
    response.writeHead(status, { ...sent, 'content-length': Buffer.byteLength(answer) });
    response.end(method === 'HEAD' ? undefined : answer);
  });

  async function forward({ method, target, headers, body }: Request): Promise<Forgery> {
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...others } = headers;
    const answer = await fetch(service + target, {
      method,
      headers: others as Record<string, string>,
      ...(body !== '' && { body }),
      redirect: 'manual',
    });
    const passed = [...answer.headers].filter(
      ([name]) => !/^(?:connection|keep-alive|content-length|date)$/.test(name),
    );
    return { status: answer.status, headers: Object.fromEntries(passed), body: await answer.text() };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire: AttackedWire = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passages,
    attack: {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return wire;
}
