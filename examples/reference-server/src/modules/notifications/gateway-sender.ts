import { createHmac } from 'node:crypto';
import { type ClientRequest, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { fillTemplate } from '../../config/gateway-template.js';
import { NotTakenError, type Sender } from './notification.js';

export interface GatewayOptions {
  readonly url: string;
  /** The JSON body, with placeholders such as `{{mobile}}` in its strings. */
  readonly body: string;
  /** Beside those that every request has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs requests; null: they aren't signed. */
  readonly signatureKey: string | null;
  /** After so long without an answer it is open whether the message was taken, in milliseconds. */
  readonly timeoutMillis: number;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Sends by an HTTP gateway: one POST for a message (APP-4). `X-Signature` is the hex HMAC-SHA-256 of `X-Timestamp`
 * (seconds), a dot and the body; `Idempotency-Key` is the message's id, so that a gateway can tell a second send.
 *
 * 2xx: taken. 408, 425, 429 and 5xx: not taken, to be tried again; but 502 and 504 are a proxy's, and leave that open,
 * as does no answer. Any other answer refuses the message for good.
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
        // A connection of its own: one that was kept may be closed at the other end, and nobody could tell what was
        // taken.
        agent: false,
        headers: {
          ...headers,
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'idempotency-key': message.id,
          'x-timestamp': timestamp,
          ...(signatureKey !== null && { 'x-signature': sign(signatureKey, `${timestamp}.${body}`) }),
        },
        // Nothing is sent when its time is over, not even by a slow connection.
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

/** Resolves when the connection stands, and not a byte of the request has left. */
function connected(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    // It stays: an error between here and the sending is told by the sending.
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
