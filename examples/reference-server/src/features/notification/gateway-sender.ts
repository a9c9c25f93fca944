import { createHmac } from 'node:crypto';
import { fillTemplate } from './gateway-template.js';
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

/** Codes of errors that come before a byte of the request was sent. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO\w+|ERR_TLS\w+)$/;

/**
 * Sends by an HTTP gateway: one POST for a message (APP-4). `X-Signature` is the hex HMAC-SHA-256 of `X-Timestamp`
 * (seconds), a dot and the body; `Idempotency-Key` is the message's id, so that a gateway can tell a second send.
 *
 * 2xx: taken. 408, 425, 429 and 5xx: not taken, to be tried again; but 502 and 504 are a proxy's, and leave that open, as
 * does no answer. Any other answer refuses the message for good.
 */
export function createGatewaySender(options: GatewayOptions): Sender {
  const { url, body: template, headers, signatureKey, timeoutMillis, now = Date.now } = options;
  return {
    async send({ expiresAt, validMinutes, ...message }) {
      const body = fillTemplate(template, { ...message, validMinutes: String(validMinutes) });
      const timestamp = String(Math.floor(now() / 1000));
      const response = await post(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          ...headers,
          'content-type': 'application/json; charset=utf-8',
          'idempotency-key': message.id,
          'x-timestamp': timestamp,
          ...(signatureKey !== null && { 'x-signature': sign(signatureKey, `${timestamp}.${body}`) }),
        },
        body,
        // Nothing is sent when its time is over, not even by a slow connection.
        signal: AbortSignal.timeout(Math.max(1, Math.min(timeoutMillis, expiresAt - now()))),
      });
      await response.body?.cancel();
      judge(response.status);
    },
  };
}

function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

async function post(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
    if (typeof code === 'string' && NOT_CONNECTED.test(code)) {
      throw new NotTakenError(`the gateway could not be reached (${code})`, { cause });
    }
    throw new Error('the gateway did not answer', { cause });
  }
}

function judge(status: number): void {
  if (status >= 200 && status <= 299) return;
  if (status === 502 || status === 504) throw new Error(`the gateway's proxy answered ${status}`);
  const isPassing = status >= 500 || [408, 425, 429].includes(status);
  throw new NotTakenError(`the gateway answered ${status}`, { isFinal: !isPassing });
}
