import { hexToBytes } from '@noble/hashes/utils.js';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { openResponse, sealRequest } from '../src/client/index.js';
import type { Carrier } from '../src/index.js';
import { sm2Sm4GcmV1 } from '../src/suites/index.js';
import { bindAuthorization } from '../src/wire/request-binding.js';
import type { Service } from './service.js';

export interface Plain {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';
  readonly path?: string;
  readonly query?: string;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly token?: string;
  readonly idempotencyKey?: string;
  readonly carrier?: Carrier;
  /** Milliseconds that the client's clock is ahead. */
  readonly ahead?: number;
  readonly secrets?: Parameters<typeof sealRequest>[2];
}

export type Members = Record<string, unknown>;

/** An envelope for a service, to be sent unchanged or changed. */
export interface Sealed {
  readonly plain: Plain;
  readonly members: Members;
  /** The arguments of `inject`. */
  request(changes?: Changes): InjectOptions;
  /** Sends it, with the changes if any. */
  send(changes?: Changes): Promise<LightMyRequestResponse>;
  /** The plaintext of the service's answer. */
  open(response: LightMyRequestResponse): string;
}

interface Changes {
  readonly members?: Members;
  /** Replaces the members. */
  readonly text?: string;
  readonly method?: Plain['method'];
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Record<string, string | string[] | undefined>;
}

export function seal(service: Service, plain: Plain = {}): Sealed {
  const { envelopeCrypto } = service.app;
  const { keyId, publicKey, maxPayloadBytes, maxQueryBytes } = envelopeCrypto.bootstrap();
  const method = plain.method ?? 'POST';
  const path = plain.path ?? '/echo';
  const carrier = plain.carrier ?? (method === 'GET' || method === 'HEAD' ? 'query' : 'body');
  const authorization = plain.token === undefined ? null : `Bearer ${plain.token}`;
  const body = plain.body === undefined ? '' : typeof plain.body === 'string' ? plain.body : JSON.stringify(plain.body);
  const { text, requestState } = sealRequest(
    {
      keyId: keyId!,
      publicKey: hexToBytes(publicKey!),
      // The service decides what is too large.
      maxPayloadBytes: maxPayloadBytes + 1000,
      maxQueryBytes: maxQueryBytes + 1000,
    },
    {
      carrier,
      method,
      path,
      authorization: bindAuthorization(authorization, sm2Sm4GcmV1),
      idempotencyKey: plain.idempotencyKey ?? '-',
      timestamp: service.clock.now + (plain.ahead ?? 0),
      query: plain.query ?? '',
      body,
    },
    plain.secrets,
  );
  const json = carrier === 'body' ? text : Buffer.from(text.slice('__enc='.length), 'base64url').toString();
  const members: Members = JSON.parse(json);

  function request(changes: Changes = {}): InjectOptions {
    const sentText = changes.text ?? (changes.members ? JSON.stringify(changes.members) : json);
    const headers = {
      'api-encryption': 'v1',
      ...(carrier === 'body' ? { 'content-type': 'application/json' } : {}),
      ...(authorization === null ? {} : { authorization }),
      ...(plain.idempotencyKey === undefined ? {} : { 'idempotency-key': plain.idempotencyKey }),
      ...changes.headers,
    };
    const query = changes.query ?? (carrier === 'query' ? `?__enc=${Buffer.from(sentText).toString('base64url')}` : '');
    return {
      method: (changes.method ?? method) as 'POST',
      url: `${changes.path ?? path}${query}`,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
      ...(carrier === 'body' ? { payload: sentText } : {}),
    };
  }

  return {
    plain,
    members,
    request,
    send: (changes) => service.app.inject(request(changes)),
    open({ statusCode, headers, rawPayload }) {
      const received = {
        status: statusCode,
        headers: new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])),
        body: rawPayload,
      };
      const opened = openResponse(requestState, received, { now: service.clock.now, timestampWindowSeconds: 300 });
      if (opened.kind !== 'opened') throw new Error(`not sealed: ${statusCode} ${rawPayload}`);
      return Buffer.from(opened.plaintext).toString();
    },
  };
}
