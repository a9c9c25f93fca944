import { parse as parseQuery } from 'fast-querystring';
import { describe, expect, it } from 'vitest';
import { EnvelopeKeyUnavailableError } from '../../src/errors.js';
import { admitRequest } from '../../src/server/admit-request.js';
import { createEnvelopeOpener, sealResponse } from '../../src/server/envelope-engine.js';
import { readRequestPlaintext } from '../../src/server/request-text.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { decodeBase64url, encodeBase64url } from '../../src/wire/base64url.js';
import { requestAad, responseAad } from '../../src/wire/envelope.js';
import {
  bodyOf,
  hex,
  plaintextOf,
  privateKeys,
  type VectorRequest,
  type VectorServer,
  vectors,
} from '../envelope-vectors.js';
import { kernelSuite } from '../kernel/kernel-suite.js';

// The engine without Fastify. The published keys are passed below the start-up check, which refuses them.

type Unwrap = (keyId: string, ek: Uint8Array) => Uint8Array | null;

function openerFor(server: VectorServer, suite: EnvelopeSuite, unwrap?: Unwrap) {
  const opener = createEnvelopeOpener({
    suite,
    timestampWindowSeconds: server.timestampWindowSeconds,
    maxPayloadBytes: server.maxPayloadBytes,
    keys: {
      has: (keyId) => server.kids.includes(keyId),
      unwrap(keyId, ek) {
        if (server.keyProviderUnreachable) throw new EnvelopeKeyUnavailableError();
        return unwrap ? unwrap(keyId, ek) : suite.unwrapBaseKey(privateKeys.get(keyId)!, ek);
      },
    },
  });
  if (server.startedAt !== null) opener.refuseStampedBefore(server.startedAt);
  return opener;
}

/** Steps 0 to 5, without a network. */
async function receive(server: VectorServer, request: VectorRequest, suite: EnvelopeSuite, unwrap?: Unwrap) {
  if (server.mode === 'OFF') throw new Error('nothing to receive in mode OFF');
  const body = bodyOf(request);
  const mark = request.target.indexOf('?');
  const head = {
    method: request.method,
    target: request.target,
    rawHeaders: request.headers.flat(),
    query: parseQuery(mark === -1 ? '' : request.target.slice(mark + 1)),
    hasBody: body.length > 0,
  };
  const admission = admitRequest(head, server.mode, suite);
  if (admission.kind === 'plaintext') return admission;
  const text = admission.kind === 'query' ? admission.text : body;
  const opener = openerFor(server, suite, unwrap);
  expect(opener.maxPlaintextBytes('query')).toBe(server.maxQueryBytes);
  return { kind: 'opened' as const, opened: await opener.open(text, admission.binding, server.now) };
}

describe.each([
  { implementation: 'portable', suite: sm2Sm4GcmV1 },
  { implementation: 'kernel', suite: kernelSuite },
])('ENV-1 ENV-8 the published vectors, below HTTP, $implementation', ({ suite }) => {
  it.each(vectors.positives.map((vector) => [vector.name, vector] as const))('opens: %s', async (_, vector) => {
    const received = await receive(vector.server, vector.request, suite);
    if (received.kind !== 'opened') throw new Error('admitted as plaintext');
    const { opened } = received;
    expect(opened).toMatchObject({ keyId: vector.kid, timestamp: vector.ts });
    expect(encodeBase64url(opened.nonce)).toBe(vector.nonce);
    expect(Buffer.from(opened.plaintext)).toEqual(plaintextOf(vector));
    expect(Buffer.from(requestAad(opened, opened.binding)).toString()).toBe(vector.aad);
    expect(Buffer.from(opened.responseKey).toString('hex')).toBe(vector.responseKey);

    if (vector.query !== null && vector.body !== null) {
      const { query, body } = readRequestPlaintext(opened.plaintext, vector.carrier);
      expect({ query, body: body ?? '' }).toEqual({ query: vector.query, body: vector.body });
    }
  });

  it.each(
    vectors.positives.filter(({ response }) => response !== null).map((vector) => [vector.name, vector] as const),
  )('answers: %s', (_, { kid, nonce, method, path, responseKey, response }) => {
    const { status, ts, iv, plaintext, aad, envelope } = response!;
    const request = { keyId: kid, nonce: decodeBase64url(nonce)!, method, path, responseKey: hex(responseKey) };
    expect(Buffer.from(responseAad(request, ts, status)).toString()).toBe(aad);
    const answer = { status, timestamp: ts, iv: hex(iv), plaintext: Buffer.from(plaintext) };
    expect(sealResponse(suite, request, answer)).toBe(JSON.stringify(envelope));
  });

  // The replay guard comes after step 5, so the engine opens what the guard refuses.
  const refusedByTheGuard = ['replayed', 'replayed query envelope', 'store unreachable'];

  it.each(vectors.negatives.map((vector) => [vector.name, vector] as const))('refuses: %s', async (name, vector) => {
    const receiving = receive(vector.server, vector.request, suite);
    if (refusedByTheGuard.includes(name)) {
      await expect(receiving).resolves.toMatchObject({ kind: 'opened' });
      return;
    }
    const { code, status } = vector.expected;
    await expect(receiving).rejects.toMatchObject({ code, statusCode: status });
    if (code === 'ENVELOPE_EXPIRED_OR_REPLAYED') {
      await expect(receiving).rejects.toMatchObject({ serverTime: vector.server.now });
    }
  });

  it('ENV-1 opens nothing by a clock, or a start of its memory, that is no number', async () => {
    const { server, request } = vectors.positives[0]!;
    for (const broken of [{ now: Number.NaN }, { startedAt: Number.NaN }, { timestampWindowSeconds: Number.NaN }]) {
      await expect(receive({ ...server, ...broken }, request, suite)).rejects.toMatchObject({
        code: 'ENVELOPE_EXPIRED_OR_REPLAYED',
      });
    }
  });

  it('ENV-3 overwrites the base key that it was given, whether the envelope opens or not', async () => {
    const { server, request } = vectors.positives[0]!;
    const given: Uint8Array[] = [];
    const unwrapAnd = (change: number) => (keyId: string, ek: Uint8Array) => {
      const baseKey = suite.unwrapBaseKey(privateKeys.get(keyId)!, ek)!.map((byte) => byte ^ change);
      given.push(baseKey);
      return baseKey;
    };
    await expect(receive(server, request, suite, unwrapAnd(0))).resolves.toMatchObject({ kind: 'opened' });
    await expect(receive(server, request, suite, unwrapAnd(1))).rejects.toMatchObject({ code: 'ENVELOPE_REJECTED' });
    expect(given).toEqual([new Uint8Array(16), new Uint8Array(16)]);
  });

  it('ENV-13 looks at nothing of a base key that a refusal lacks: an awaited one would be asked for `then`', async () => {
    const { server, request } = vectors.positives[0]!;
    const lookups: string[] = [];
    const watching = (keyId: string, ek: Uint8Array) => {
      const baseKey = suite.unwrapBaseKey(privateKeys.get(keyId)!, ek)!;
      return Object.defineProperty(baseKey, 'then', { get: () => void lookups.push('then') });
    };
    await expect(receive(server, request, suite, watching)).resolves.toMatchObject({ kind: 'opened' });
    expect(lookups).toEqual([]);
  });

  it('ENV-8 yields to the event loop between the steps of a large envelope, and not for a small one', async () => {
    async function watchOpening(name: string) {
      const { server, request } = vectors.positives.find((vector) => vector.name === name)!;
      const seen: { hadTurn: boolean; inTurns: boolean }[] = [];
      let hadTurn = false;
      const { inTurns } = suite;
      const watched: EnvelopeSuite = {
        ...suite,
        openMessage(...message) {
          seen.push({ hadTurn, inTurns: false });
          return suite.openMessage(...message);
        },
        ...(inTurns && {
          inTurns: {
            ...inTurns,
            open(...message) {
              seen.push({ hadTurn, inTurns: true });
              return inTurns.open(...message);
            },
          },
        }),
      };
      await receive(server, request, watched, (keyId, ek) => {
        setImmediate(() => {
          hadTurn = true;
        });
        return suite.unwrapBaseKey(privateKeys.get(keyId)!, ek);
      });
      return seen;
    }
    const large = await watchOpening('body plaintext of exactly 65536 bytes');
    expect(large).toEqual([{ hadTurn: true, inTurns: suite.inTurns !== undefined }]);
    expect(await watchOpening(vectors.positives[0]!.name)).toEqual([{ hadTurn: false, inTurns: false }]);
  });

  it('admits the plaintext requests of the vectors in mode OPTIONAL', async () => {
    const clear = vectors.clear.filter(({ server }) => server.mode === 'OPTIONAL');
    expect(clear).toHaveLength(2);
    for (const { server, request } of clear) {
      await expect(receive(server, request, suite)).resolves.toEqual({ kind: 'plaintext' });
    }
  });
});
