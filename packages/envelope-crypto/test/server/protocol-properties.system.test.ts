import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { openResponse, sealRequest } from '../../src/client/index.js';
import { admitRequest, type RequestHead } from '../../src/server/admit-request.js';
import { createEnvelopeOpener, sealResponse } from '../../src/server/envelope-engine.js';
import { readRequestPlaintext } from '../../src/server/request-text.js';
import { sm2Sm4GcmV1 as suite } from '../../src/suites/index.js';
import { bindAuthorization } from '../../src/wire/request-binding.js';

// The client's half of the protocol against the service's, without a network.

const privateKey = Uint8Array.from({ length: 32 }, (_, i) => (i * 73 + 5) % 251);
const key = { keyId: 'k', publicKey: suite.publicKeyOf(privateKey), maxPayloadBytes: 4000 };
const opener = createEnvelopeOpener({
  suite,
  keys: { has: (keyId) => keyId === 'k', unwrap: (_, ek) => suite.unwrapBaseKey(privateKey, ek) },
  timestampWindowSeconds: 300,
  maxPayloadBytes: 4000,
});
const NOW = 1_763_700_000_000;

const visible = (excluded: RegExp, constraints: { minLength?: number; maxLength: number }) =>
  fc
    .array(fc.integer({ min: 0x21, max: 0x7e }), constraints)
    .map((codes) => String.fromCharCode(...codes))
    .filter((text) => !excluded.test(text));

const request = fc.record({
  carrier: fc.constantFrom('body', 'query'),
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
  path: visible(/[?#]/, { maxLength: 40 }).map((text) => `/${text}`),
  token: fc.option(fc.stringMatching(/^[A-Za-z0-9\-._~+/]{1,60}={0,2}$/)),
  idempotencyKey: fc.option(visible(/^-$/, { minLength: 1, maxLength: 60 })),
  query: visible(/#/, { maxLength: 60 }),
  body: fc.oneof(
    fc.constant(''),
    fc.json({ maxDepth: 2 }).filter((text) => text.length < 1000),
  ),
  ahead: fc.integer({ min: -300_000, max: 300_000 }),
});

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** The sent message. */
function sealed({ carrier: wanted, method, path, token, idempotencyKey, query, body, ahead }: Request) {
  const carrier: 'body' | 'query' = method === 'GET' || method === 'HEAD' ? 'query' : (wanted as 'body');
  const authorization = token === null ? null : `Bearer ${token}`;
  const { text, requestState } = sealRequest(key, {
    ...{ carrier, method, path, query, body, timestamp: NOW + ahead, idempotencyKey: idempotencyKey ?? '-' },
    authorization: bindAuthorization(authorization, suite),
  });
  const head: RequestHead = {
    method,
    target: carrier === 'query' ? `${path}?${text}` : path,
    rawHeaders: [
      ...['Api-Encryption', 'v1'],
      ...(authorization === null ? [] : ['authorization', authorization]),
      ...(idempotencyKey === null ? [] : ['Idempotency-Key', idempotencyKey]),
      ...(carrier === 'body' ? ['Content-Type', 'application/json'] : []),
    ],
    query: {},
    hasBody: carrier === 'body',
  };
  return { head, bodyText: new TextEncoder().encode(text), requestState };
}

async function receive(head: RequestHead, bodyText: Uint8Array) {
  const admission = admitRequest(head, 'REQUIRED', suite);
  if (admission.kind === 'plaintext') throw new Error('admitted in the clear');
  return opener.open(admission.kind === 'query' ? admission.text : bodyText, admission.binding, NOW);
}

describe('ENV-1 ENV-4 every sealed request', () => {
  it('is opened by the service, and the client reads the answer', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.json(), fc.integer({ min: 200, max: 599 }), async (plain, answer, status) => {
        const { head, bodyText, requestState } = sealed(plain);
        const opened = await receive(head, bodyText);
        const { query, body } = readRequestPlaintext(opened.plaintext, opened.binding.carrier);
        expect(query).toBe(plain.query);
        expect(body ?? '').toBe(opened.binding.carrier === 'body' ? plain.body : '');

        const { method, path } = opened.binding;
        const iv = crypto.getRandomValues(new Uint8Array(12));
        const sealedAnswer = { status, timestamp: NOW, iv, plaintext: new TextEncoder().encode(answer) };
        const text = sealResponse(suite, { ...opened, method, path }, sealedAnswer);
        const headers = new Headers({ 'api-encryption': 'v1', 'content-type': 'application/json' });
        const received = { status, headers, body: new TextEncoder().encode(text) };
        const read = openResponse(requestState, received, { now: NOW, timestampWindowSeconds: 300 });
        expect(read.kind === 'opened' && new TextDecoder().decode(read.plaintext)).toBe(answer);
        const other = { ...received, status: status === 200 ? 201 : 200 };
        expect(() => openResponse(requestState, other, { now: NOW, timestampWindowSeconds: 300 })).toThrow();
      }),
      { numRuns: cases(100) },
    );
  });

  it('does not open with one changed character', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.nat(), fc.integer({ min: 0x20, max: 0x7e }), async (plain, at, code) => {
        const { head, bodyText } = sealed({ ...plain, carrier: 'body', method: 'POST' });
        const position = at % bodyText.length;
        fc.pre(bodyText[position] !== code);
        const changed = bodyText.slice();
        changed[position] = code;
        await expect(receive(head, changed)).rejects.toMatchObject({ code: expect.stringMatching(/^ENVELOPE_/) });
      }),
      { numRuns: cases(150) },
    );
  });

  it('does not open under another method, path, token, idempotency key or carrier', async () => {
    await fc.assert(
      fc.asyncProperty(request, request, async (plain, other) => {
        const { head, bodyText } = sealed({ ...plain, carrier: 'body', method: 'POST' });
        const foreign = sealed({ ...other, carrier: 'body', method: 'PUT' }).head;
        for (const changes of [
          { method: 'PUT' },
          { target: `${foreign.target}x` },
          { rawHeaders: foreign.rawHeaders },
        ]) {
          const moved = { ...head, ...changes };
          const hasSameHeaders =
            moved.rawHeaders === head.rawHeaders ||
            (plain.token === other.token && plain.idempotencyKey === other.idempotencyKey);
          if (moved.method === head.method && moved.target === head.target && hasSameHeaders) continue;
          await expect(receive(moved, bodyText)).rejects.toMatchObject({ code: 'ENVELOPE_REJECTED' });
        }
      }),
      { numRuns: cases(40) },
    );
  });

  it('is refused as expired outside the window, and opens at its edge', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.integer({ min: -400_000, max: 400_000 }), async (plain, ahead) => {
        const { head, bodyText } = sealed({ ...plain, ahead });
        const receiving = receive(head, bodyText);
        if (Math.abs(ahead) <= 300_000) await expect(receiving).resolves.toMatchObject({ timestamp: NOW + ahead });
        else await expect(receiving).rejects.toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: NOW });
      }),
      {
        numRuns: cases(60),
        examples: [300_000, -300_000, 300_001, -300_001].map((ahead) => [example, ahead] as [Request, number]),
      },
    );
  });
});

const example: Request = {
  carrier: 'body',
  method: 'POST',
  path: '/x',
  token: null,
  idempotencyKey: null,
  query: '',
  body: '',
  ahead: 0,
};
