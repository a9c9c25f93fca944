import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request as requestByTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { type NginxProcess, SERVER_NAME } from './nginx-process.js';

/** The client's address, which differs from those of nginx and the nodes. */
export const CLIENT_ADDRESS = '127.0.0.9';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** One request through nginx, on its own connection, with an unmodified target. */
export async function ask(nginx: NginxProcess, target: string, question: Question = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body } = question;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = requestByTls({
    host: '127.0.0.1',
    port: nginx.port,
    localAddress: CLIENT_ADDRESS,
    servername: SERVER_NAME,
    ca: nginx.certificate,
    agent: false,
    method,
    path: target,
    headers: { host: SERVER_NAME, ...length, ...headers },
  });
  // If nginx answers before it has the whole body, the rest is sent to a closed connection.
  request.on('error', () => {});
  request.end(body);
  const [response] = await once(request, 'response', { signal: AbortSignal.timeout(60_000) });
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** The same as `fetch`, for a client that takes one. */
export function fetchThrough(nginx: NginxProcess): typeof fetch {
  return async function fetchByTls(input, init) {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const {
      status,
      headers,
      text: body,
    } = await ask(nginx, pathname + search, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body !== null && { body: new Uint8Array(await request.arrayBuffer()) }),
    });
    const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(status === 204 ? null : body, { status, headers: entries });
  };
}
