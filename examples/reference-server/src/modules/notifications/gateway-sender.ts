import { createHmac } from 'node:crypto';
import { type ClientRequest, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { fillTemplate } from '../../config/gateway-template.js';
import { NotTakenError, type Sender } from './notification.js';

export interface GatewayOptions {
  readonly url: string;
  /** The JSON body. Its strings may contain placeholders such as `{{mobile}}`. */
  readonly body: string;
  /** Additional headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs requests; null: requests are not signed. */
  readonly signatureKey: string | null;
  /** Timeout of the answer, in milliseconds. After it, the outcome of the send is unknown. */
  readonly timeoutMillis: number;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Sends messages through an HTTP gateway, one POST for each (APP-4). `X-Signature` is the hex HMAC-SHA-256 of
 * `X-Timestamp` (seconds), a dot and the body. `Idempotency-Key` is the id of the message, so that the gateway can
 * detect a repeated send.
 *
 * 2xx: accepted. 408, 425, 429 and 5xx: not accepted, retried. 502, 504 and a missing answer: unknown, because a proxy
 * may have forwarded the request. Any other answer rejects the message for good.
 */
export function createGatewaySender(options: GatewayOptions): Sender {
  const { url, body: template, headers, signatureKey, timeoutMillis, now = Date.now } = options;
  const startRequest = new URL(url).protocol === 'https:' ? requestByHttps : requestByHttp;
  return {
    async prepare({ expiresAt, validMinutes, ...message }) {
      const body = fillTemplate(template, { ...message, validMinutes: String(validMinutes) });
      const timestamp = String(Math.floor(now() / 1000));
      const request = startRequest(url, {
        method: 'POST',
        // Use a new connection each time. The gateway may close a reused one, and the outcome would be unknown.
        agent: false,
        headers: {
          ...headers,
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'idempotency-key': message.id,
          'x-timestamp': timestamp,
          ...(signatureKey !== null && { 'x-signature': sign(signatureKey, `${timestamp}.${body}`) }),
        },
        // Never send an expired message, not even over a slow connection.
        signal: AbortSignal.timeout(Math.max(1, Math.min(timeoutMillis, expiresAt - now()))),
      });
      await connected(request);
      return {
        async send() {
          judge(await statusOf(request, body));
        },
        abandon: () => void request.destroy(),
      };
    },
  };
}

function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Resolves when the connection is established, before any byte of the request is sent. */
function connected(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    // Keep this listener: an error before `send` is reported by `send`.
    request.on('error', (cause) => reject(new NotTakenError('the gateway could not be reached', { cause })));
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => resolve());
      else resolve();
    });
  });
}

function statusOf(request: ClientRequest, body: string): Promise<number> {
  if (request.destroyed) throw new NotTakenError('the connection to the gateway broke');
  return new Promise((resolve, reject) => {
    request.once('error', (cause) => reject(new Error('the gateway did not answer', { cause })));
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}

function judge(status: number): void {
  if (status >= 200 && status <= 299) return;
  if (status === 502 || status === 504) throw new Error(`the gateway's proxy answered ${status}`);
  const isPassing = status >= 500 || [408, 425, 429].includes(status);
  throw new NotTakenError(`the gateway answered ${status}`, { isFinal: !isPassing });
}
