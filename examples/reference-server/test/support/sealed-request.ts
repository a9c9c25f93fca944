import type { Carrier } from '@sallyport/envelope-crypto';
import { openResponse, type RequestState, sealRequest } from '@sallyport/envelope-crypto/client';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { App } from '../../src/app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Sealable {
  readonly method?: Method;
  readonly url: string;
  /** The plaintext query string; sealed in `__enc` when there is no body to seal. */
  readonly query?: string;
  readonly payload?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the query for GET, else the body. */
  readonly carrier?: Carrier;
  /** How far the client's clock is ahead of the server's. Default 0. */
  readonly aheadMillis?: number;
}

export interface SealedInject {
  readonly options: InjectOptions;
  /** The opened answer, or null when it came in the clear. */
  open(response: LightMyRequestResponse): unknown;
}

/** A request in an envelope, as `inject` takes it. A test may send it repeatedly. */
export function sealed(app: App, request: Sealable): SealedInject {
  const { method = 'GET', url, query = '', payload, headers = {}, aheadMillis = 0 } = request;
  const { carrier = method === 'GET' ? 'query' : 'body' } = request;
  const { keyId = '', publicKey = '', maxPayloadBytes, serverTime } = app.envelopeCrypto.bootstrap();
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const { text, requestState } = sealRequest(
    { keyId, publicKey: Buffer.from(publicKey, 'hex'), maxPayloadBytes },
    {
      carrier,
      method,
      path: url,
      authorization: token === undefined ? '-' : Buffer.from(sm3(Buffer.from(token))).toString('base64url'),
      idempotencyKey: headers['idempotency-key'] ?? '-',
      timestamp: serverTime + aheadMillis,
      query,
      body: payload === undefined ? '' : JSON.stringify(payload),
    },
  );
  const enveloped = { ...headers, 'api-encryption': 'v1' };
  const options: InjectOptions =
    carrier === 'query'
      ? { method, url: `${url}?${text}`, headers: enveloped }
      : { method, url, headers: { ...enveloped, 'content-type': 'application/json' }, payload: text };
  return { options, open: (response) => open(requestState, response, serverTime) };
}

function open(requestState: RequestState, response: LightMyRequestResponse, now: number): unknown {
  const opened = openResponse(
    requestState,
    {
      status: response.statusCode,
      headers: { get: (name) => response.headers[name]?.toString() ?? null },
      body: response.rawPayload,
    },
    { now, timestampWindowSeconds: 300 },
  );
  return opened.kind === 'opened' ? JSON.parse(Buffer.from(opened.plaintext).toString()) : null;
}
