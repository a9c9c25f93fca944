import { hkdfSm3, sm2Encrypt, sm3, sm4GcmSeal } from '../../src/gm/index.js';
import { b64u, bytesOf, drawn, hexOf } from './drawn-bytes.js';
import { keyOf } from './published-keys.js';
import type { HttpRequest, RequestVector, SealedAnswer, VectorServer } from './vector-types.js';

export const NOW = 1_763_700_000_000;

export const server: VectorServer = {
  ...{ mode: 'REQUIRED', exempt: false, now: NOW, notBefore: null, timestampWindowSeconds: 300, replaySeconds: 300 },
  ...{
    maxPayloadBytes: 65_536,
    maxQueryBytes: 4096,
    kids: ['2025-11', '2025-05', 'a'],
    recorded: [],
    unavailable: null,
  },
};

/** What a request vector is made of. Everything that is absent has the value of an ordinary POST. */
export interface SealInput {
  readonly kid?: string;
  readonly carrier?: 'body' | 'query';
  readonly method?: string;
  readonly path?: string;
  readonly authorization?: string | null;
  readonly idempotencyKey?: string | null;
  readonly ts?: number;
  readonly query?: string;
  readonly body?: string;
  /** In place of query and body. */
  readonly plaintext?: Uint8Array;
  readonly secrets?: { readonly baseKey: Uint8Array; readonly nonce: Uint8Array; readonly iv: Uint8Array };
  readonly server?: Partial<VectorServer>;
  readonly response?: { readonly status: number; readonly plaintext: string } | null;
}

/** The six members of an envelope, decoded texts as they stand in JSON. */
export interface Members {
  readonly kid: string;
  readonly ts: number;
  readonly nonce: string;
  readonly ek: string;
  readonly iv: string;
  readonly ct: string;
}

export interface Sealed {
  readonly vector: RequestVector;
  readonly members: Members;
  readonly requestKeyBytes: Uint8Array;
}

const LOGIN = '{"username":"admin","password":"207cf410532f92a47dee245ce9b11ff71f578ebd763eb3bbea44ebd043d018fb"}';

/** Seals a request by the formulas of the page, and its answer. The name seeds all that is random. */
export function sealVector(name: string, input: SealInput = {}): Sealed {
  const { kid = '2025-11', ts = NOW - 120, query = '', authorization = null, idempotencyKey = null } = input;
  const { method = 'POST', carrier = method === 'GET' || method === 'HEAD' ? 'query' : 'body' } = input;
  const { path = '/admin/auth/login', body = carrier === 'body' ? LOGIN : '' } = input;
  const secrets = input.secrets ?? {
    baseKey: drawn(`request|${name}|base key`, 16),
    nonce: drawn(`request|${name}|nonce`, 16),
    iv: drawn(`request|${name}|iv`, 12),
  };
  const ephemeral = drawn(`request|${name}|k`, 32);
  const nonce = b64u(secrets.nonce);
  const key = (use: string) => hkdfSm3(secrets.baseKey, secrets.nonce, Buffer.from(`sm2-sm4-gcm-v1|${use}|${kid}`), 16);
  const [requestKey, responseKey] = [key('request'), key('response')];
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
  const bound = token === undefined ? '-' : b64u(sm3(Buffer.from(token)));
  const aad = ['v1', 'sm2-sm4-gcm-v1', kid, carrier, ts, nonce, method, path, bound, idempotencyKey ?? '-'].join('\n');
  const plaintext = input.plaintext ?? Buffer.from(carrier === 'query' ? query : `${query}\n${body}`);
  const members: Members = {
    ...{ kid, ts, nonce },
    ek: b64u(sm2Encrypt(bytesOf(keyOf(kid).publicKey), secrets.baseKey, ephemeral)),
    iv: b64u(secrets.iv),
    ct: b64u(sm4GcmSeal(requestKey, secrets.iv, Buffer.from(aad), plaintext)),
  };
  const vector: RequestVector = {
    ...{ name, server: input.server ?? {}, kid, carrier, method, path, authorization, idempotencyKey, ts, query, body },
    ...{ baseKey: hexOf(secrets.baseKey), nonce: hexOf(secrets.nonce), iv: hexOf(secrets.iv) },
    ...{ ephemeral: hexOf(ephemeral), requestKey: hexOf(requestKey), responseKey: hexOf(responseKey), aad },
    plaintext: hexOf(plaintext),
    request: requestOf({ method, path, carrier, authorization, idempotencyKey }, JSON.stringify(members)),
    recordMillis: Math.max(server.replaySeconds * 1000, ts + server.timestampWindowSeconds * 1000 - NOW) + 60_000,
    response: null,
  };
  const answer =
    input.response === undefined ? { status: 200, plaintext: '{"data":{"name":"Zoë 王"}}' } : input.response;
  return {
    vector: { ...vector, response: answer && sealAnswer(vector, answer) },
    members,
    requestKeyBytes: requestKey,
  };
}

type Bound = Pick<RequestVector, 'method' | 'path' | 'carrier' | 'authorization' | 'idempotencyKey'>;

/** The HTTP request that carries this text of an envelope. */
export function requestOf({ method, path, carrier, authorization, idempotencyKey }: Bound, text: string): HttpRequest {
  const headers: [string, string][] = [['Api-Encryption', 'v1']];
  if (carrier === 'body') headers.push(['Content-Type', 'application/json']);
  if (authorization !== null) headers.push(['Authorization', authorization]);
  if (idempotencyKey !== null) headers.push(['Idempotency-Key', idempotencyKey]);
  return carrier === 'body'
    ? { method, target: path, headers, body: text }
    : { method, target: `${path}?__enc=${b64u(Buffer.from(text))}`, headers, body: '' };
}

type Answered = Pick<RequestVector, 'name' | 'kid' | 'nonce' | 'method' | 'path' | 'responseKey'>;

/** Seals an answer to a request. */
export function sealAnswer(
  request: Answered,
  { status, plaintext, ts = NOW + 7 }: { status: number; plaintext: string; ts?: number },
): SealedAnswer {
  const iv = drawn(`response|${request.name}|${status}|${ts}|iv`, 12);
  const nonce = b64u(bytesOf(request.nonce));
  const { kid, method, path } = request;
  const aad = ['v1', 'sm2-sm4-gcm-v1', kid, 'response', ts, nonce, method, path, status].join('\n');
  const ct = b64u(sm4GcmSeal(bytesOf(request.responseKey), iv, Buffer.from(aad), Buffer.from(plaintext)));
  return { status, ts, iv: hexOf(iv), plaintext, aad, body: JSON.stringify({ ts, nonce, iv: b64u(iv), ct }) };
}
