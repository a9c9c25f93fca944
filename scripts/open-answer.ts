import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** An answer as it arrives. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** What has arrived. */
  text(): string;
  /** Resolves to whether it ended as its head says, or was cut. */
  readonly end: Promise<'complete' | 'cut'>;
  hangUp(): void;
  pause(): void;
  resume(): void;
}

export interface OpenRequest {
  readonly method?: string;
  readonly url: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request on a connection of its own, whose body is not ended yet. */
export function sendRequest(port: number, { method = 'GET', url, token, headers }: OpenRequest): ClientRequest {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const sent = request({
    host: '127.0.0.1',
    port,
    agent: false,
    method,
    path: url,
    headers: { ...authorization, ...headers },
  });
  sent.on('error', () => {});
  return sent;
}

export function answerTo(sent: ClientRequest): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (message) => {
      let text = '';
      message.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      message.on('error', () => {});
      const end = new Promise<'complete' | 'cut'>((settle) => {
        message.once('close', () => settle(message.complete ? 'complete' : 'cut'));
      });
      resolve({
        status: message.statusCode ?? 0,
        headers: message.headers,
        text: () => text,
        end,
        hangUp: () => sent.destroy(),
        pause: () => void message.pause(),
        resume: () => void message.resume(),
      });
    });
  });
}

/** The answer to a request without a body, when its head has arrived. */
export function openAnswer(port: number, given: OpenRequest): Promise<OpenAnswer> {
  const sent = sendRequest(port, given);
  sent.end();
  return answerTo(sent);
}
