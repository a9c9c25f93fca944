import { sealRequest } from '@sallyport/envelope-crypto/client';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { type ApiRequest, callFor } from './api-client.js';

/** A request in an envelope, which can be sent repeatedly. */
export interface SealedCopy {
  readonly path: string;
  readonly request: ApiRequest;
}

export interface ServiceKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly maxPayloadBytes: number;
  /** The clock of the node that answered. */
  readonly serverTime: number;
}

export function readServiceKey(origin: string): Promise<ServiceKey> {
  return callFor(200, origin, '/encryption/public-key');
}

/** Seals the query of a GET, with the given timestamp. Without a token for everybody. */
export function sealGet(key: ServiceKey, path: string, token: string | null, timestamp: number): SealedCopy {
  return seal(key, { method: 'GET', path, token, timestamp });
}

/** Seals the body of a request. */
export function sealBody(
  key: ServiceKey,
  path: string,
  { method, token, timestamp, body }: { method: 'POST' | 'PUT'; token: string; timestamp: number; body: object },
): SealedCopy {
  return seal(key, { method, path, token, timestamp, body });
}

interface Content {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token: string | null;
  readonly timestamp: number;
  readonly body?: object;
}

function seal(key: ServiceKey, { method, path, token, timestamp, body }: Content): SealedCopy {
  const carrier = body === undefined ? 'query' : 'body';
  const { text } = sealRequest(
    { keyId: key.keyId, publicKey: Buffer.from(key.publicKey, 'hex'), maxPayloadBytes: key.maxPayloadBytes },
    {
      carrier,
      method,
      path,
      authorization: token === null ? '-' : Buffer.from(sm3(Buffer.from(token))).toString('base64url'),
      idempotencyKey: '-',
      timestamp,
      query: '',
      body: body === undefined ? '' : JSON.stringify(body),
    },
  );
  const request = { method, ...(token !== null && { token }), headers: { 'api-encryption': 'v1' } };
  return body === undefined ? { path: `${path}?${text}`, request } : { path, request: { ...request, body: text } };
}
