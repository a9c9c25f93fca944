import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse as parseQuery } from 'fast-querystring';
import { afterAll, describe, expect, it } from 'vitest';
import { readBootstrap } from '../../src/client/connection/bootstrap.js';
import { openResponse, sealRequest } from '../../src/client/index.js';
import { hkdfSm3, hmacSm3, sm3 } from '../../src/gm/index.js';
import { isPublishedKey } from '../../src/keys/published-keys.js';
import { decodeBase64url as decodeByNode } from '../../src/server/node-base64url.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { decodeBase64url, encodeBase64url } from '../../src/wire/base64url.js';
import { bindAuthorization, bindIdempotencyKey, decodeUtf8, splitTarget } from '../../src/wire/index.js';
import { kernelSuite } from '../kernel/kernel-suite.js';
import { sendRaw } from '../raw-http.js';
import { createBenches } from '../vector-bench.js';
import { bytesOf, hexOf } from './drawn-bytes.js';
import { makeVectorFiles, textOf } from './vector-files.js';
import type { HttpRequest, KeyEntry, VectorServer } from './vector-types.js';

const folder = new URL('../../vectors/', import.meta.url);
const made = makeVectorFiles();
type Files = typeof made;

/** The files as they are published. */
const files = Object.fromEntries(
  Object.keys(made).map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]),
) as Files;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const hexOrNull = (bytes: Uint8Array | null): string | null => (bytes === null ? null : hexOf(bytes));

/** Runs a check for each vector of a file. The name of a vector is in the message of what fails. */
function each<Name extends keyof Files>(file: Name, check: (vector: Files[Name]['vectors'][number]) => void): void {
  const vectors: readonly Files[Name]['vectors'][number][] = files[file].vectors;
  expect(vectors.length, file).toBeGreaterThan(4);
  for (const vector of vectors) check(vector);
}

const keys: readonly KeyEntry[] = files['requests.json'].keys;
const privateKeys = new Map(keys.map(({ kid, privateKey }) => [kid, bytesOf(privateKey)]));

describe('the vectors in the tarball', () => {
  it('API-1 are what `build:vectors` writes, file by file', () => {
    expect(readdirSync(folder).sort()).toEqual([...Object.keys(made), 'README.md'].sort());
    for (const [name, file] of Object.entries(made)) {
      expect(readFileSync(new URL(name, folder), 'utf8') === textOf(file), `${name} is stale`).toBe(true);
    }
  });

  it('API-1 are in the tarball, and found by their names', () => {
    const load = createRequire(import.meta.url);
    for (const name of Object.keys(made)) {
      expect(load(`@sallyport/envelope-crypto/vectors/${name}`), name).toEqual(files[name as keyof Files]);
    }
    expect(load('@sallyport/envelope-crypto/package.json').files).toContain('vectors');
  });

  it('API-1 ENV-3 have keys that the start of a service refuses', () => {
    for (const name of ['requests.json', 'refusals.json', 'plaintext-requests.json'] as const) {
      expect(files[name].keys).toEqual(keys);
    }
    for (const { publicKey } of [...keys, ...files['sm2.json'].vectors]) {
      expect(isPublishedKey(bytesOf(publicKey))).toBe(true);
    }
  });

  it('API-1 have a name each, and every member of theirs is in the README of the folder', () => {
    const readme = readFileSync(new URL('README.md', folder), 'utf8');
    for (const [name, { vectors }] of Object.entries(files)) {
      expect(readme, name).toContain(`\`${name}\``);
      expect(new Set(vectors.map((vector) => vector.name)).size, name).toBe(vectors.length);
      for (const member of new Set(vectors.flatMap((vector) => Object.keys(vector)))) {
        expect(readme, `${member} of ${name}`).toMatch(new RegExp(`\`${member}\``));
      }
    }
  });

  it('API-1 hold for the fields of a request', async () => {
    each('base64url.json', ({ name, text, bytes }) => {
      expect(hexOrNull(decodeBase64url(text)), name).toBe(bytes);
      expect(hexOrNull(decodeByNode(text)), name).toBe(bytes);
      if (bytes !== null) expect(encodeBase64url(bytesOf(bytes)), name).toBe(text);
    });
    each('target.json', ({ name, target, path, query }) => {
      expect(splitTarget(target), name).toEqual(path === null ? null : { path, query });
    });
    each('idempotency-key.json', ({ name, value, field }) => {
      expect(bindIdempotencyKey(value), name).toBe(field);
    });
    for (const { name, body, accepted } of files['bootstraps.json'].vectors) {
      const answer = {
        ...{ status: 200, headers: new Headers({ 'content-type': 'application/json' }) },
        bytes: async () => utf8(body),
      };
      const reading = readBootstrap(answer, 'the bootstrap', decodeUtf8);
      if (accepted) await expect(reading, name).resolves.toMatchObject(JSON.parse(body).data);
      else await expect(reading, name).rejects.toMatchObject({ code: 'BOOTSTRAP_FAILED' });
    }
  });
});

describe.each([
  { backend: 'portable', suite: sm2Sm4GcmV1 },
  { backend: 'kernel', suite: kernelSuite },
] as const)('the vectors in the tarball, $backend', ({ backend, suite }) => {
  const benches = createBenches({ privateKeys, backend, suite });
  afterAll(benches.close);

  const serverOf = (file: { server: VectorServer }, vector: { server: Partial<VectorServer> }): VectorServer => ({
    ...file.server,
    ...vector.server,
  });

  it('API-1 ENV-8 hold for the ciphers and the hash', () => {
    checkPrimitives(suite);
  });

  it('API-1 seal requests byte for byte', () => {
    each('requests.json', (vector) => {
      const { name, kid, authorization, idempotencyKey, method, path, carrier, query, body, ts } = vector;
      const { publicKey } = keys.find((key) => key.kid === kid)!;
      const { text, requestState } = sealRequest(
        { keyId: kid, publicKey: bytesOf(publicKey), maxPayloadBytes: 65_536 },
        {
          ...{ carrier, method, path, timestamp: ts, query, body },
          authorization: bindAuthorization(authorization, suite),
          idempotencyKey: bindIdempotencyKey(idempotencyKey)!,
        },
        {
          ...{ baseKey: bytesOf(vector.baseKey), nonce: bytesOf(vector.nonce), iv: bytesOf(vector.iv) },
          ephemeral: bytesOf(vector.ephemeral),
        },
        suite,
      );
      expect(hexOf(requestState.responseKey), name).toBe(vector.responseKey);
      expect(normal(carrier, text), name).toBe(normal(carrier, textIn(vector)));
    });
  });

  it('API-1 are served over a socket, and answered so that a client opens the answer', async () => {
    for (const vector of files['requests.json'].vectors) {
      const { name, request, response, query, body, kid, method } = vector;
      const server = serverOf(files['requests.json'], vector);
      const bench = await benches.benchFor(server);
      if (response !== null) bench.answer = { status: response.status, text: response.plaintext };
      const answer = await sendRaw(bench.port, request);
      const nonce = encodeBase64url(bytesOf(vector.nonce));
      expect(bench.service.store.asked, name).toEqual([{ keyId: kid, nonce, recordMillis: vector.recordMillis }]);
      expect(bench.seen, name).toMatchObject([
        { query: JSON.stringify(parseQuery(query)), body: body === '' ? undefined : JSON.stringify(JSON.parse(body)) },
      ]);
      expect(answer.status, name).toBe(bench.answer.status);
      if (method !== 'HEAD') expect(openedBy(suite, vector, answer, server.now), name).toBe(bench.answer.text);

      const again = await sendRaw(bench.port, request);
      expect(again.status, name).toBe(400);
    }
  });

  it('API-1 are refused over a socket, each with its code, and leave no trace', async () => {
    for (const vector of files['refusals.json'].vectors) {
      const { name, request, status, code } = vector;
      const bench = await benches.benchFor(serverOf(files['refusals.json'], vector));
      const before = [...bench.service.store.claimed];
      const answer = await sendRaw(bench.port, request);
      expect({ name, ...JSON.parse(answer.body.toString()) }).toMatchObject({ name, code, status });
      expect(answer.status, name).toBe(status);
      expect(answer.headers, name).not.toHaveProperty('api-encryption');
      expect(bench.seen, name).toEqual([]);
      expect([...bench.service.store.claimed], name).toEqual(before);
    }
  });

  it('API-1 are served as they are where the service takes no envelope', async () => {
    for (const vector of files['plaintext-requests.json'].vectors) {
      const { name, request } = vector;
      const bench = await benches.benchFor(serverOf(files['plaintext-requests.json'], vector));
      const answer = await sendRaw(bench.port, request);
      expect([answer.status, answer.body.toString(), bench.seen[0]!.body], name).toEqual([
        200,
        bench.answer.text,
        request.body,
      ]);
    }
  });

  it('API-1 are opened, taken in the clear, or refused as answers', () => {
    each('responses.json', (vector) => {
      const { name, kid, method, path, nonce, responseKey, status, headers, body, outcome, plaintext } = vector;
      const requestState = { keyId: kid, method, path, nonce: bytesOf(nonce), responseKey: bytesOf(responseKey) };
      // Fetch forbids to make some answers, such as a 304 with a body.
      const received = {
        status,
        headers: new Headers(headers.map(([n, v]): [string, string] => [n, v])),
        body: utf8(body),
      };
      const open = () => openResponse(requestState, received, vector, suite);
      if (outcome === 'refused') {
        expect(open, name).toThrow(expect.objectContaining({ code: 'RESPONSE_REFUSED' }));
      } else if (outcome === 'in the clear') {
        expect(open(), name).toEqual({ kind: 'plaintext' });
      } else {
        const opened = open();
        if (opened.kind !== 'opened') throw new Error(name);
        expect([decodeUtf8(opened.plaintext), opened.contentType], name).toEqual([plaintext, vector.contentType]);
      }
    });
    each('requests.json', (vector) => {
      if (vector.response === null) return;
      const { status, body, ts, plaintext } = vector.response;
      expect(openedBy(suite, vector, { status, headers: ENVELOPE_HEADERS, body: Buffer.from(body) }, ts)).toBe(
        plaintext,
      );
    });
  });
});

const ENVELOPE_HEADERS = { 'api-encryption': 'v1', 'content-type': 'application/json' };

function checkPrimitives(suite: EnvelopeSuite): void {
  each('sm3.json', ({ name, message, digest }) => {
    expect(hexOf(sm3(bytesOf(message))), name).toBe(digest);
    // The suite hashes tokens, which are ASCII.
    const text = Buffer.from(message, 'hex').toString('latin1');
    if (/^[\x20-\x7e]*$/.test(text)) expect(hexOf(suite.hashToken(text)), name).toBe(digest);
  });
  each('sm4-gcm.json', ({ name, key, iv, aad, ct, plaintext }) => {
    expect(hexOrNull(suite.openMessage(bytesOf(key), bytesOf(iv), bytesOf(aad), bytesOf(ct))), name).toBe(plaintext);
    if (plaintext !== null) {
      expect(hexOf(suite.sealMessage(bytesOf(key), bytesOf(iv), bytesOf(aad), bytesOf(plaintext))), name).toBe(ct);
    }
  });
  each('sm2.json', ({ name, privateKey, publicKey, ephemeral, ek, baseKey }) => {
    expect(hexOf(suite.publicKeyOf(bytesOf(privateKey))), name).toBe(publicKey);
    expect(hexOrNull(suite.unwrapBaseKey(bytesOf(privateKey), bytesOf(ek))), name).toBe(baseKey);
    if (ephemeral !== null) {
      expect(hexOf(suite.wrapBaseKey(bytesOf(publicKey), bytesOf(baseKey!), bytesOf(ephemeral))), name).toBe(ek);
    }
  });
  each('hkdf.json', ({ name, baseKey, nonce, kid, prk, requestKey, responseKey }) => {
    const derived = suite.deriveKeys(bytesOf(baseKey), bytesOf(nonce), kid);
    expect([hexOf(derived.requestKey), hexOf(derived.responseKey)], name).toEqual([requestKey, responseKey]);
    expect(hexOf(hmacSm3(bytesOf(nonce), bytesOf(baseKey))), name).toBe(prk);
    expect(hexOf(hkdfSm3(bytesOf(baseKey), bytesOf(nonce), utf8(`sm2-sm4-gcm-v1|request|${kid}`), 16))).toBe(
      requestKey,
    );
  });
  each('authorization.json', ({ name, value, field }) => {
    expect(bindAuthorization(value, suite), name).toBe(field);
  });
}

/** The text of an envelope in a request. */
function textIn({ carrier, request }: { carrier: 'body' | 'query'; request: HttpRequest }): string {
  return carrier === 'body' ? request.body : request.target.slice(request.target.indexOf('?') + 1);
}

/** JSON in the order and with the white space that both have in common. */
function normal(carrier: 'body' | 'query', text: string): string {
  if (carrier === 'query') return text;
  return JSON.stringify(Object.entries(JSON.parse(text)).sort());
}

function openedBy(
  suite: EnvelopeSuite,
  { kid, method, path, nonce, responseKey }: Files['requests.json']['vectors'][number],
  { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: Uint8Array },
  now: number,
): string | null {
  const requestState = { keyId: kid, method, path, nonce: bytesOf(nonce), responseKey: bytesOf(responseKey) };
  const window = { now, timestampWindowSeconds: 300 };
  const opened = openResponse(requestState, { status, headers: new Headers(headers), body }, window, suite);
  return opened.kind === 'opened' ? decodeUtf8(opened.plaintext) : null;
}
