import { randomBytes } from 'node:crypto';
import { kernel } from '../../../src/client/kernel.js';
import {
  encodeBase64url,
  readEnvelope,
  requestAad,
  responseAad,
  writeResponseEnvelope,
} from '../../../src/wire/index.js';
import type { WireAnswer, WireRequest } from './forgeries.js';

/** A service in mode OPTIONAL without Fastify, so that thousands of requests take seconds. It answers everything. */
export interface SmallService {
  readonly publicKey: string;
  answer(request: WireRequest): WireAnswer;
}

const MAX_PAYLOAD_BYTES = 65_536;
const WINDOW_MILLIS = 300_000;

export function createSmallService(keyId: string): SmallService {
  const proven = kernel();
  if (proven.kind !== 'ready') throw new Error(proven.reason);
  const { suite } = proven;
  const privateKey = randomBytes(32);
  const publicKey = Buffer.from(suite.publicKeyOf(privateKey)).toString('hex');
  const json = { 'content-type': 'application/json; charset=utf-8' };

  function refuse(code: string): WireAnswer {
    return { status: 400, headers: json, body: JSON.stringify({ code, serverTime: Date.now() }) };
  }

  function answer({ method, target, headers, body }: WireRequest): WireAnswer {
    if (target === '/encryption/public-key') {
      const limits = { timestampWindowSeconds: 300, maxPayloadBytes: MAX_PAYLOAD_BYTES, maxQueryBytes: 4096 };
      const key = { mode: 'OPTIONAL', suite: suite.name, version: 1, keyId, publicKey, ...limits };
      return { status: 200, headers: json, body: JSON.stringify({ data: { ...key, serverTime: Date.now() } }) };
    }
    const content = JSON.stringify({ data: { served: true } });
    if (headers['api-encryption'] !== 'v1') return { status: 200, headers: json, body: content };

    const [path = '', query] = target.split('?__enc=');
    const text = query === undefined ? body : Buffer.from(query, 'base64url');
    const reading = readEnvelope(Buffer.from(text), MAX_PAYLOAD_BYTES);
    if (reading.kind !== 'read') return refuse('ENVELOPE_MALFORMED');
    const { envelope } = reading;
    if (envelope.keyId !== keyId) return refuse('ENVELOPE_KEY_UNKNOWN');
    if (Math.abs(envelope.timestamp - Date.now()) > WINDOW_MILLIS) return refuse('ENVELOPE_EXPIRED_OR_REPLAYED');
    const baseKey = suite.unwrapBaseKey(privateKey, envelope.wrappedKey);
    if (baseKey === null) return refuse('ENVELOPE_REJECTED');
    const { requestKey, responseKey } = suite.deriveKeys(baseKey, envelope.nonce, keyId);
    const token = headers.authorization?.slice('Bearer '.length);
    const aad = requestAad(envelope, {
      carrier: query === undefined ? 'body' : 'query',
      ...{ method, path },
      authorization: token === undefined ? '-' : encodeBase64url(suite.hashToken(token)),
      idempotencyKey: headers['idempotency-key'] ?? '-',
    });
    if (suite.openMessage(requestKey, envelope.iv, Buffer.from(aad), envelope.ct) === null) {
      return refuse('ENVELOPE_REJECTED');
    }
    const head = { timestamp: Date.now(), nonce: envelope.nonce, iv: randomBytes(12) };
    const bound = responseAad({ keyId, nonce: envelope.nonce, method, path }, head.timestamp, 200);
    const ct = suite.sealMessage(responseKey, head.iv, Buffer.from(bound), Buffer.from(content));
    return { status: 200, headers: { ...json, 'api-encryption': 'v1' }, body: writeResponseEnvelope({ ...head, ct }) };
  }

  return { publicKey, answer };
}
