import { parse as parseQuery } from 'fast-querystring';
import { afterAll, describe, expect, it } from 'vitest';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { decodeBase64url } from '../../src/wire/base64url.js';
import { readResponseEnvelope, responseAad } from '../../src/wire/envelope.js';
import {
  bodyOf,
  hex,
  type Positive,
  privateKeys,
  type VectorRequest,
  type VectorServer,
  vectors,
} from '../envelope-vectors.js';
import { type RawResponse, sendRaw } from '../raw-http.js';
import { type Bench, createBenches } from '../vector-bench.js';

const benches = createBenches({ privateKeys });

afterAll(benches.close);

function benchFor(server: VectorServer): Promise<Bench> {
  const { startedAt, replayTtlSeconds, storeUnreachable, keyProviderUnreachable, ...same } = server;
  const unavailable = storeUnreachable ? 'replay store' : keyProviderUnreachable ? 'key provider' : null;
  return benches.benchFor({ ...same, notBefore: startedAt, replaySeconds: replayTtlSeconds, unavailable });
}

function send(bench: Bench, request: VectorRequest): Promise<RawResponse> {
  return sendRaw(bench.port, { ...request, body: bodyOf(request) });
}

function openResponse(positive: Positive, { status, body }: RawResponse, now: number): string {
  const envelope = readResponseEnvelope(body);
  if (envelope === null) throw new Error(`not an envelope: ${body}`);
  const { timestamp, iv, ct, nonce } = envelope;
  expect(timestamp).toBe(now);
  expect(Buffer.from(nonce).toString('base64url')).toBe(positive.nonce);
  const request = {
    keyId: positive.kid,
    nonce: decodeBase64url(positive.nonce)!,
    method: positive.method,
    path: positive.path,
  };
  const plaintext = sm2Sm4GcmV1.openMessage(
    hex(positive.responseKey),
    iv,
    Buffer.from(responseAad(request, timestamp, status)),
    ct,
  );
  return Buffer.from(plaintext!).toString();
}

describe('ENV-1 EC-01 the published vectors, over a socket', () => {
  it.each(vectors.positives.map((vector) => [vector.name, vector] as const))('serves: %s', async (_, vector) => {
    const bench = await benchFor(vector.server);
    const answer = vector.response?.plaintext ?? '{"data":1}';
    bench.answer = { status: vector.response?.status ?? 200, text: answer };
    const response = await send(bench, vector.request);

    const { kid: keyId, nonce, recordMillis } = vector;
    expect(bench.service.store.asked).toEqual([{ keyId, nonce, recordMillis }]);
    if (vector.query === null || vector.body === null) {
      expect(response).toMatchObject({ status: 400, headers: { 'api-encryption': 'v1' } });
      expect(bench.seen).toEqual([]);
      expect(JSON.parse(openResponse(vector, response, vector.server.now))).toMatchObject({ status: 400 });
    } else {
      expect(bench.seen).toMatchObject([
        {
          query: JSON.stringify(parseQuery(vector.query)),
          body: vector.body === '' ? undefined : JSON.stringify(JSON.parse(vector.body)),
        },
      ]);
      expect(response.status).toBe(bench.answer.status);
      if (vector.method === 'HEAD') {
        expect(response.headers).not.toHaveProperty('api-encryption');
        expect(response.headers).not.toHaveProperty('content-length');
      } else {
        expect(response.headers).toMatchObject({
          'api-encryption': 'v1',
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          'content-length': String(response.body.length),
        });
        expect(openResponse(vector, response, vector.server.now)).toBe(answer);
      }
    }

    const again = await send(bench, vector.request);
    expect(again.status).toBe(400);
    if (vector.method !== 'HEAD') {
      expect(JSON.parse(again.body.toString())).toMatchObject({
        code: 'ENVELOPE_EXPIRED_OR_REPLAYED',
        serverTime: vector.server.now,
      });
    }
    expect(bench.seen.length).toBeLessThanOrEqual(1);
  });

  it.each(vectors.negatives.map((vector) => [vector.name, vector] as const))('refuses: %s', async (_, vector) => {
    const bench = await benchFor(vector.server);
    const before = [...bench.service.store.claimed];
    const { status, headers, body } = await send(bench, vector.request);

    expect(JSON.parse(body.toString())).toMatchObject(vector.expected);
    expect(status).toBe(vector.expected.status);
    expect(headers).not.toHaveProperty('api-encryption');
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(bench.seen).toEqual([]);
    expect([...bench.service.store.claimed]).toEqual(before);
  });

  it.each(vectors.clear.map((vector) => [vector.name, vector] as const))(
    'leaves as plaintext: %s',
    async (_, vector) => {
      const bench = await benchFor(vector.server);
      const { status, headers, body } = await send(bench, vector.request);

      expect({ status, body: body.toString() }).toEqual({ status: 200, body: bench.answer.text });
      expect(headers).not.toHaveProperty('api-encryption');
      const sent = bodyOf(vector.request).toString();
      expect(bench.seen[0]!.body).toBe(sent === '' ? undefined : sent);
      expect(bench.service.store.asked).toEqual([]);
    },
  );
});
