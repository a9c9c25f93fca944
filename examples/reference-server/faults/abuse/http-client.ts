import { Agent, request as httpRequest } from 'node:http';
import type { ApiAnswer } from '../api-client.js';

/** A JSON request of an attacker or an honest user. */
export interface PlainRequest {
  readonly method?: string;
  readonly token?: string;
  readonly body?: object;
}

/** Sends requests over kept connections, with less work for each than `fetch`. A run sends hundreds of thousands. */
export interface HttpClient {
  /** Never rejects. */
  send(origin: string, from: string, path: string, request?: PlainRequest): Promise<ApiAnswer>;
  close(): void;
}

const PATIENCE_MILLIS = 30_000;

/** @param maxInFlight requests at once; others wait for their turn */
export function createHttpClient(maxInFlight: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: maxInFlight });
  const waiting: (() => void)[] = [];
  let inFlight = 0;

  async function turn(): Promise<void> {
    if (inFlight < maxInFlight) inFlight += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** The one that ends hands its place over. */
  function pass(): void {
    const next = waiting.shift();
    if (next === undefined) inFlight -= 1;
    else next();
  }

  function exchange(origin: string, from: string, path: string, request: PlainRequest): Promise<ApiAnswer> {
    const { body, token, method = body === undefined ? 'GET' : 'POST' } = request;
    const payload = body === undefined ? null : JSON.stringify(body);
    const began = performance.now();
    const answered = (status: number, code: string, data: unknown): ApiAnswer => ({
      status,
      code,
      data,
      requestId: '',
      millis: performance.now() - began,
    });
    return new Promise((resolve) => {
      const fail = (error: NodeJS.ErrnoException) => resolve(answered(0, error.code ?? error.message, null));
      const sent = httpRequest(origin + path, {
        method,
        agent,
        timeout: PATIENCE_MILLIS,
        headers: headersOf(from, token, payload),
      });
      sent.on('error', fail);
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', fail);
        response.on('end', () => {
          const { data = null, code = '' } = text.startsWith('{') ? JSON.parse(text) : {};
          resolve(answered(response.statusCode!, code, data));
        });
      });
      sent.end(payload ?? undefined);
    });
  }

  return {
    async send(origin, from, path, request = {}) {
      await turn();
      try {
        return await exchange(origin, from, path, request);
      } finally {
        pass();
      }
    },
    close: () => agent.destroy(),
  };
}

/** The address of a client comes from the proxy before the nodes: here, the harness itself. */
function headersOf(from: string, token: string | undefined, payload: string | null): Record<string, string | number> {
  return {
    'x-forwarded-for': from,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  };
}
