import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createEnvelopeClient,
  EnvelopeClientError,
  type EnvelopeClientOptions,
  EnvelopeClientSetupError,
  openResponse,
  sealRequest,
} from '../../src/client/index.js';
import type { EnvelopeCryptoOptions } from '../../src/index.js';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { decodeBase64url } from '../../src/wire/base64url.js';
import { bindAuthorization } from '../../src/wire/request-binding.js';
import { hex, vectors } from '../envelope-vectors.js';
import { createService, privateKey, type Service } from '../service.js';

describe('ENV-4 the published vectors', () => {
  const sealable = vectors.positives.filter(({ body, k }) => body !== null && k !== null);

  it.each(sealable.map((vector) => [vector.name, vector] as const))('seals byte for byte: %s', (_, vector) => {
    const { kid, carrier, method, path, token, idempotencyKey, ts, query, body, envelope } = vector;
    const { publicKey } = vectors.keys.find((key) => key.kid === kid)!;
    const sealed = sealRequest(
      { keyId: kid, publicKey: hex(publicKey), maxPayloadBytes: 65_536 },
      {
        ...{ carrier, method, path, timestamp: ts, query: query!, body: body! },
        authorization: bindAuthorization(token === null ? null : `Bearer ${token}`, sm2Sm4GcmV1),
        idempotencyKey: idempotencyKey ?? '-',
      },
      {
        baseKey: hex(vector.baseKey),
        nonce: decodeBase64url(vector.nonce)!,
        iv: hex(vector.iv),
        ephemeral: hex(vector.k!),
      },
    );
    const text = JSON.stringify(envelope);
    expect(sealed.text).toBe(carrier === 'body' ? text : `__enc=${Buffer.from(text).toString('base64url')}`);
    expect(Buffer.from(sealed.requestState.responseKey).toString('hex')).toBe(vector.responseKey);
  });

  it.each(vectors.responses.map((vector) => [vector.name, vector] as const))('reads the answer: %s', (_, vector) => {
    const { kid, method, path, nonce, responseKey, now, timestampWindowSeconds, status, headers, body } = vector;
    const requestState = { keyId: kid, method, path, nonce: decodeBase64url(nonce)!, responseKey: hex(responseKey) };
    const received = {
      status,
      headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
      body: Buffer.from(body),
    };
    const open = () => openResponse(requestState, received, { now, timestampWindowSeconds });
    if (vector.expected === 'refused') {
      expect(open).toThrow(expect.objectContaining({ code: 'RESPONSE_REFUSED' }));
    } else if (vector.expected === 'plaintext') {
      expect(open()).toEqual({ kind: 'plaintext' });
    } else {
      const opened = open();
      if (opened.kind !== 'opened') throw new Error('not opened');
      expect(Buffer.from(opened.plaintext).toString()).toBe(vector.plaintext);
      expect(opened.contentType).toBe(vector.contentType);
    }
  });
});

describe('the window of a response', () => {
  it('ENV-4 refuses an answer where the clock or the window is no number: nothing is from now then', () => {
    const vector = vectors.responses.find(({ expected }) => expected === 'opens')!;
    const { kid, method, path, nonce, responseKey, now, timestampWindowSeconds, status, headers, body } = vector;
    const requestState = { keyId: kid, method, path, nonce: decodeBase64url(nonce)!, responseKey: hex(responseKey) };
    const received = { status, headers: new Headers(headers as [string, string][]), body: Buffer.from(body) };
    const right = { now, timestampWindowSeconds };
    expect(openResponse(requestState, received, right)).toMatchObject({ kind: 'opened' });
    for (const broken of [{ now: Number.NaN }, { timestampWindowSeconds: Number.NaN }]) {
      expect(() => openResponse(requestState, received, { ...right, ...broken })).toThrow(/not from now/);
    }
  });
});

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

interface Bench {
  readonly service: Service;
  readonly origin: string;
  /** The sent requests, in order. */
  readonly sent: { method: string; url: string; init: RequestInit }[];
  /** The body of a sent request. */
  readonly bodies: string[];
  client(options?: Partial<EnvelopeClientOptions>): ReturnType<typeof createEnvelopeClient>;
}

async function listen(
  routes: (app: FastifyInstance) => unknown = () => {},
  crypto: EnvelopeCryptoOptions = {},
): Promise<Bench> {
  const service = await createService({
    crypto,
    routes(app) {
      app.all('/echo', async ({ query, body, headers }) => ({
        data: { query, body, authorization: headers.authorization },
      }));
      routes(app);
    },
  });
  opened.push(service);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  // An earlier service of this file may have had the port, and clients remember by URL that it was encrypted.
  createEnvelopeClient({ baseUrl: origin }).resetEncryption();
  const sent: Bench['sent'] = [];
  const bodies: string[] = [];
  const recordingFetch = (async (input: string | Request, init: RequestInit = {}) => {
    const url = input instanceof Request ? input.url : input;
    sent.push({ method: init.method ?? 'GET', url: url.slice(origin.length), init });
    bodies.push(String(init.body ?? ''));
    return fetch(input, init);
  }) as typeof fetch;
  const client = (options?: Partial<EnvelopeClientOptions>) =>
    createEnvelopeClient({ baseUrl: origin, fetch: recordingFetch, now: () => service.clock.now, ...options });
  return { service, origin, sent, bodies, client };
}

describe('ENV-4 the client against a service in mode REQUIRED', () => {
  it('is a drop-in fetch: method, query, body and token are sealed, and the answer is opened', async () => {
    const bench = await listen();
    const { fetch } = bench.client();
    const response = await fetch('/echo?a=1&b=%20', {
      method: 'POST',
      headers: { authorization: 'Bearer abc.def', 'content-type': 'application/json' },
      body: JSON.stringify({ name: '张三' }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('api-encryption')).toBe(false);
    expect(response.url).toBe(`${bench.origin}/echo`);
    expect(await response.json()).toEqual({
      data: { query: { a: '1', b: ' ' }, body: { name: '张三' }, authorization: 'Bearer abc.def' },
    });
    expect(bench.sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /encryption/public-key',
      'POST /echo',
    ]);
    expect(bench.bodies[1]).not.toMatch(/张三|name/);
  });

  it.each([
    ['GET', undefined, 'query'],
    ['get', undefined, 'query'],
    ['DELETE', undefined, 'query'],
    ['DELETE', '{"a":1}', 'body'],
    ['POST', undefined, 'body'],
    ['PUT', '{"a":1}', 'body'],
    ['patch', '{"a":1}', 'body'],
  ] as const)('%s with body %s is carried as %s', async (method, body, carrier) => {
    const bench = await listen();
    const response = await bench.client().fetch('/echo?x=1', { method, ...(body === undefined ? {} : { body }) });
    const { data } = (await response.json()) as { data: unknown };
    expect(data).toEqual({ query: { x: '1' }, ...(body === undefined ? {} : { body: JSON.parse(body) }) });
    expect(bench.sent[1]!.url).toMatch(carrier === 'query' ? /^\/echo\?__enc=[\w-]+$/ : /^\/echo$/);
    expect(bench.sent[1]!.init).toMatchObject({ redirect: 'manual' });
  });

  it('HEAD, 204 and other media types are unchanged', async () => {
    const bench = await listen((app) => {
      app.post('/none', async (_, reply) => reply.code(204).send());
      app.get('/csv', async (_, reply) => reply.type('text/csv').send('a,b\n'));
      app.get('/empty', async (_, reply) => reply.type('application/json').send(''));
    });
    const { fetch } = bench.client();
    expect(await fetch('/echo', { method: 'HEAD' })).toMatchObject({ status: 200 });
    expect(await fetch('/none', { method: 'POST' })).toMatchObject({ status: 204 });
    expect(await (await fetch('/csv')).text()).toBe('a,b\n');
    expect(await (await fetch('/empty')).text()).toBe('');
  });

  it('a sealed error becomes problem+json, and a plaintext refusal is unchanged', async () => {
    const bench = await listen((app) =>
      app.get('/broken', async () => {
        throw Object.assign(new Error('no'), { statusCode: 409, code: 'CONFLICT' });
      }),
    );
    const { fetch } = bench.client();
    const broken = await fetch('/broken');
    expect(broken.headers.get('content-type')).toBe('application/problem+json');
    expect(await broken.json()).toMatchObject({ status: 409, code: 'CONFLICT' });
    bench.service.store.unreachable = true;
    const refused = await fetch('/echo');
    expect(await refused.json()).toMatchObject({ code: 'ENVELOPE_REPLAY_STORE_UNAVAILABLE' });
  });

  it('takes a Request and a URL, and leaves other origins alone', async () => {
    const bench = await listen();
    const other = await listen((app) => app.get('/public', async () => ({ data: 'other' })), { mode: 'OPTIONAL' });
    const { fetch } = bench.client();
    const request = new Request(`${bench.origin}/echo`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await (await fetch(request)).json()).toEqual({ data: { query: {}, body: { a: 1 } } });
    expect(request.bodyUsed).toBe(false);
    expect(await (await fetch(new URL(`${bench.origin}/echo`))).json()).toEqual({ data: { query: {} } });
    expect(await (await fetch(`${other.origin}/public`)).json()).toEqual({ data: 'other' });
  });

  it('takes bytes for a body, and an AbortSignal', async () => {
    const bench = await listen();
    const { fetch } = bench.client();
    const body = new TextEncoder().encode('{"a":1}');
    expect(await (await fetch('/echo', { method: 'POST', body })).json()).toMatchObject({ data: { body: { a: 1 } } });
    await expect(fetch('/echo', { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it.each([
    ['a form', () => new FormData()],
    ['a blob', () => new Blob(['{}'])],
    ['parameters', () => new URLSearchParams('a=1')],
    ['a stream', () => new Blob(['{}']).stream()],
    ['an object without a prototype', () => Object.create(null)],
  ])('refuses %s, unless the path is exempt', async (_, body) => {
    const bench = await listen((app) => app.post('/upload', async () => ({ data: 'plain' })), { bypassRoutes: [] });
    const init = { method: 'POST', body: body() as unknown as string, duplex: 'half' } as RequestInit;
    await expect(bench.client().fetch('/upload', init)).rejects.toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    expect(bench.sent).toHaveLength(1);
  });

  it('sends exempt paths in the clear', async () => {
    const bench = await listen(
      (app) => {
        app.post('/upload', async () => ({ data: 'plain' }));
        app.get('/actuator/health', async () => ({ status: 'UP' }));
      },
      { bypassRoutes: ['/upload POST'] },
    );
    const { fetch } = bench.client({ bypass: ['/upload post'] });
    expect(
      await (
        await fetch('/upload', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
      ).json(),
    ).toEqual({ data: 'plain' });
    expect(await (await fetch('/actuator/health')).json()).toEqual({ status: 'UP' });
    expect(bench.sent.map(({ url }) => url)).toEqual(['/upload', '/actuator/health']);
  });

  it('sends an exempt path with a parameter in the clear, and the paths around it sealed', async () => {
    const bench = await listen((app) => {
      app.get('/files/:id/content', { config: { bypassEnvelope: true } }, async () => ({ data: 'plain' }));
      app.get('/files/:id', async () => ({ data: 'sealed' }));
    });
    const { fetch } = bench.client({ bypass: ['/files/:id/content GET'] });
    expect(await (await fetch('/files/7/content')).json()).toEqual({ data: 'plain' });
    expect(bench.sent.map(({ url }) => url)).toEqual(['/files/7/content']);
    expect(await (await fetch('/files/7')).json()).toEqual({ data: 'sealed' });
    expect(bench.sent.at(-1)?.url).toMatch(/^\/files\/7\?__enc=/);
  });

  it('refuses what the service would not take, before it is sent', async () => {
    const bench = await listen(() => {}, { maxPayloadBytes: 100 });
    const { fetch } = bench.client();
    const tooLarge = fetch('/echo', { method: 'POST', body: JSON.stringify('x'.repeat(100)) });
    await expect(tooLarge).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    await expect(fetch(`/echo?q=${'x'.repeat(100)}`)).rejects.toBeInstanceOf(EnvelopeClientError);
    const oddKey = fetch('/echo', { method: 'POST', headers: { 'idempotency-key': '-' } });
    await expect(oddKey).rejects.toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    expect(bench.sent).toHaveLength(1);
  });

  it('binds the path that the service sees behind a proxy that removes a prefix', async () => {
    const bench = await listen();
    const throughProxy = (async (input: string, init?: RequestInit) =>
      fetch(input.replace('/api/', '/'), init)) as typeof fetch;
    const client = bench.client({ baseUrl: `${bench.origin}/api/`, fetch: throughProxy });
    expect(await (await client.fetch('/echo?a=1')).json()).toEqual({ data: { query: { a: '1' } } });
  });

  it('follows no redirect, since its target would get an envelope that is not bound to it', async () => {
    const bench = await listen((app) => app.post('/moved', async (_, reply) => reply.redirect('/echo', 307)));
    expect(await bench.client().fetch('/moved', { method: 'POST', body: '{}' })).toMatchObject({ status: 307 });
    expect(bench.sent.map(({ url }) => url)).toEqual(['/encryption/public-key', '/moved']);
  });

  it('refuses a success in JSON that is not sealed', async () => {
    const bench = await listen();
    const forging = (async (input: string, init?: RequestInit) =>
      input.endsWith('/echo')
        ? new Response('{"data":"forged"}', { headers: { 'content-type': 'application/json' } })
        : fetch(input, init)) as typeof fetch;
    const forged = bench.client({ fetch: forging }).fetch('/echo', { method: 'POST' });
    await expect(forged).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
  });

  it('ENV-4 JSON that is not sealed is no data, whatever media type it claims; downloads stay downloads', async () => {
    const bench = await listen();
    let padding = '';
    const forging = (async (input: string, init?: RequestInit) => {
      if (input.endsWith('/encryption/public-key')) return fetch(input, init);
      return new Response(`${padding}{"data":"forged"}`, { headers: { 'content-type': 'text/plain' } });
    }) as typeof fetch;
    const client = bench.client({ fetch: forging });
    const refused = { code: 'RESPONSE_REFUSED' };
    const forged = await client.fetch('/echo', { method: 'POST' });
    await expect(forged.clone().clone().json()).rejects.toMatchObject(refused);
    await expect(forged.json()).rejects.toMatchObject(refused);
    expect(forged.bodyUsed).toBe(false);
    // A program may well parse the text by itself.
    await expect(forged.clone().text()).rejects.toMatchObject(refused);
    expect(Buffer.from(await forged.clone().arrayBuffer()).toString()).toBe('{"data":"forged"}');
    expect((await forged.clone().blob()).size).toBe(17);
    expect(forged.body).toBeInstanceOf(ReadableStream);
    expect(forged).toBeInstanceOf(Response);
    // Or trim it before.
    padding = '\ufeff\u00a0 ';
    await expect((await client.fetch('/echo')).text()).rejects.toMatchObject(refused);
    padding = '';
    // A plaintext refusal can be read as JSON, and so can the answer of an exempt path.
    const elsewhere = await client.fetch('https://other.test/x');
    expect(await elsewhere.json()).toEqual({ data: 'forged' });
  });
});

describe('ENV-4 what goes out unsealed', () => {
  function clientAt(baseUrl: string) {
    const sent: string[] = [];
    const fetch = (async (input: string | Request, init: RequestInit = {}) => {
      const url = input instanceof Request ? input.url : input;
      const isSealed = new Headers(init.headers).has('api-encryption');
      sent.push(`${isSealed ? 'sealed' : 'clear'} ${url.split('?')[0]}`);
      if (!url.endsWith('/encryption/public-key')) return new Response(null, { status: 204 });
      return Response.json({ data: right });
    }) as typeof globalThis.fetch;
    const client = createEnvelopeClient({ baseUrl, fetch, now: () => right.serverTime });
    return { client, sent };
  }

  it.each<[string, () => string | URL | Request]>([
    ['a path that leaves the base path', () => '/users/../../pay'],
    ['one that leaves it by escapes', () => '/users/%2e%2E/.%2e/pay'],
    ['one that leaves it by backslashes', () => '/users\\..\\..\\pay'],
    ['one that leaves it for a sibling', () => '/../api2/pay'],
    ['a relative path', () => 'pay'],
    ['a relative path upwards', () => '../pay'],
    ['a query alone', () => '?a=1'],
    ['nothing', () => ''],
    ['a scheme without a host', () => 'https:pay'],
    ['the service in the clear', () => 'http://h.test/api/pay'],
    ['the service in the clear, at a port', () => 'http://h.test:8080/api/pay'],
    ['its host in capitals', () => 'HTTP://H.TEST/api/pay'],
    ['its host with the dot of its full name', () => 'https://h.test./api/pay'],
    ['its host without a scheme', () => '//h.test/pay'],
    ['another host without a scheme, which an id with a slash makes of a path', () => '//other.test/x'],
    ['its host outside the base path', () => 'https://h.test/pay'],
    ['its host at the base path itself', () => 'https://h.test/api'],
    ['a URL of its host', () => new URL('https://h.test/api/../pay')],
    ['a Request to its host', () => new Request('http://h.test/api/pay')],
  ])('ENV-4 is nothing that is meant for the service: %s', async (_, input) => {
    const { client, sent } = clientAt('https://h.test/api');
    const headers = { authorization: 'Bearer abc.def' };
    await expect(client.fetch(input(), { headers })).rejects.toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    expect(sent).toEqual([]);
  });

  it('ENV-4 is what goes to other hosts and ports; what stays under the base path is sealed', async () => {
    const { client, sent } = clientAt('https://h.test/api/');
    const others = ['https://other.test/api/x', 'https://h.test:8443/x', 'https://a.h.test/api/x'];
    for (const url of others) await client.fetch(url);
    expect(sent).toEqual([
      'clear https://other.test/api/x',
      'clear https://h.test:8443/x',
      'clear https://a.h.test/api/x',
    ]);
    sent.length = 0;
    for (const url of [
      '/users/../pay',
      '/../api/pay',
      'https://h.test/api/pay',
      new URL('https://h.test:443/api/pay'),
    ]) {
      await client.fetch(url);
    }
    expect(sent).toEqual([
      'clear https://h.test/api/encryption/public-key',
      ...Array.from({ length: 4 }, () => 'sealed https://h.test/api/pay'),
    ]);
  });
});

/** A valid bootstrap. */
const right = {
  ...{ mode: 'REQUIRED', suite: 'sm2-sm4-gcm-v1', version: 1, keyId: 'k', publicKey: vectors.keys[0]!.publicKey },
  ...{ timestampWindowSeconds: 300, maxPayloadBytes: 65_536, maxQueryBytes: 4096, serverTime: 1_763_700_000_000 },
};

describe('ENV-4 the bootstrap', () => {
  it('is read once for all concurrent callers, and again after a failure', async () => {
    const bench = await listen();
    let failures = 1;
    const flaky = (async (input: string, init?: RequestInit) => {
      bench.sent.push({ method: 'GET', url: input, init: init ?? {} });
      if (failures-- > 0) return new Response('down', { status: 502 });
      return fetch(input, init);
    }) as typeof fetch;
    const client = bench.client({ fetch: flaky });
    const first = await Promise.allSettled([client.bootstrap(), client.fetch('/echo'), client.fetch('/echo')]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(first[0]).toMatchObject({ reason: { code: 'BOOTSTRAP_FAILED' } });
    expect(bench.sent).toHaveLength(1);
    const second = await Promise.all([client.bootstrap(), client.fetch('/echo'), client.fetch('/echo')]);
    expect(second[1]).toMatchObject({ status: 200 });
    expect(bench.sent.filter(({ url }) => url.endsWith('/encryption/public-key'))).toHaveLength(2);
  });

  it.each([
    ['no JSON', 'oops'],
    ['no data', '{}'],
    ['null', 'null'],
    ['another suite', { suite: 'x' }],
    ['another version', { version: 2 }],
    ['another mode', { mode: 'ON' }],
    ['a short key', { publicKey: '04ff' }],
    ['a key that is no point of the curve', { publicKey: `04${'1'.repeat(128)}` }],
    ['a strange key id', { keyId: 'a b' }],
    ['no time', { serverTime: null }],
    ['no limits', { maxPayloadBytes: '1' }],
  ])('is refused with %s', async (_, change) => {
    const text = typeof change === 'string' ? change : JSON.stringify({ data: { ...right, ...change } });
    const answering = (async () =>
      new Response(text, { headers: { 'content-type': 'application/json' } })) as typeof fetch;
    const client = createEnvelopeClient({ baseUrl: 'https://service.test', fetch: answering });
    await expect(client.bootstrap()).rejects.toMatchObject({ code: 'BOOTSTRAP_FAILED' });
  });

  it('ENV-4 BOOTSTRAP_FAILED names the URL that was asked, and what to register or give', async () => {
    const asked: string[] = [];
    const answering = (async (input: string) => {
      asked.push(input);
      return input === 'https://service.test/api/v2/key'
        ? Response.json({ data: right })
        : new Response(null, { status: 404 });
    }) as typeof fetch;
    const baseUrl = 'https://service.test/api';
    const refusal = createEnvelopeClient({ baseUrl, fetch: answering }).bootstrap();
    await expect(refusal).rejects.toThrow(
      'https://service.test/api/encryption/public-key: the service answered 404 without a description of its ' +
        'encryption; register publicKeyRoute there, or give bootstrapPath',
    );
    const bootstrapPath = '/v2/key';
    const found = createEnvelopeClient({ baseUrl, fetch: answering, bootstrapPath }).bootstrap();
    expect(await found).toMatchObject({ keyId: 'k' });
    expect(asked).toHaveLength(2);
  });

  it('ENV-4 a key that is no point of the curve is told as such by fetch too, and not remembered', async () => {
    let publicKey = `04${'0'.repeat(128)}`;
    const answering = (async (input: string) =>
      input.endsWith('/encryption/public-key')
        ? Response.json({ data: { ...right, publicKey } })
        : new Response(null, { status: 204 })) as typeof fetch;
    const client = createEnvelopeClient({ baseUrl: 'https://service.test', fetch: answering });
    const refusal = await client.fetch('/echo').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EnvelopeClientError);
    expect(refusal).toMatchObject({ code: 'BOOTSTRAP_FAILED' });
    publicKey = right.publicKey;
    expect(await client.fetch('/echo')).toMatchObject({ status: 204 });
  });

  it('ENV-4 is read again for the next request after ENVELOPE_REJECTED, and nothing is repeated', async () => {
    const bench = await listen();
    const swapped = await listen(() => {}, { keyId: 'test-key', privateKey: privateKey() });
    let service = bench.origin;
    const sent: string[] = [];
    const client = bench.client({
      fetch: (async (input: string, init?: RequestInit) => {
        sent.push(input.slice(bench.origin.length).split('?')[0]!);
        return fetch(input.replace(bench.origin, service), init);
      }) as typeof fetch,
    });
    await client.bootstrap();
    service = swapped.origin;
    sent.length = 0;
    expect(await (await client.fetch('/echo')).json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
    expect(sent).toEqual(['/echo']);
    expect(await client.fetch('/echo')).toMatchObject({ status: 200 });
    expect(sent).toEqual(['/echo', '/encryption/public-key', '/echo']);
  });

  it('ENV-4 is read again for the next request after RESPONSE_REFUSED, and nothing is repeated', async () => {
    const bench = await listen();
    let isForged = true;
    const sent: string[] = [];
    const client = bench.client({
      fetch: (async (input: string, init?: RequestInit) => {
        sent.push(input.slice(bench.origin.length).split('?')[0]!);
        return isForged && input.includes('/echo') ? Response.json({ data: 'forged' }) : fetch(input, init);
      }) as typeof fetch,
    });
    await expect(client.fetch('/echo')).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    isForged = false;
    expect(await client.fetch('/echo')).toMatchObject({ status: 200 });
    expect(sent).toEqual(['/encryption/public-key', '/echo', '/encryption/public-key', '/echo']);
  });

  it('in mode OFF all requests are plaintext, and after ENVELOPE_REQUIRED the next one is sealed', async () => {
    const off = await listen(() => {}, { mode: 'OFF' });
    const client = off.client();
    expect(await (await client.fetch('/echo?a=1')).json()).toEqual({ data: { query: { a: '1' } } });
    expect(off.sent[1]).toMatchObject({ url: '/echo?a=1' });

    const required = await listen();
    let service = off.origin;
    const switching = createEnvelopeClient({
      // Of this test alone: clients remember for the whole process that a URL was encrypted.
      baseUrl: 'http://switching.test',
      now: () => required.service.clock.now,
      fetch: (async (input: string, init?: RequestInit) =>
        fetch(input.replace('http://switching.test', service), init)) as typeof fetch,
    });
    expect(await switching.fetch('/echo')).toMatchObject({ status: 200 });
    service = required.origin;
    expect(await (await switching.fetch('/echo')).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    expect(await switching.fetch('/echo')).toMatchObject({ status: 200 });
  });
});

describe('ENV-4 the one repetition', () => {
  it('after ENVELOPE_KEY_UNKNOWN a new envelope is sent under the new key, for any method', async () => {
    const bench = await listen();
    const next = await listen(() => {}, { keyId: 'next', privateKey: privateKey() });
    let service = bench.origin;
    const client = bench.client({
      fetch: (async (input: string, init?: RequestInit) => {
        bench.bodies.push(String(init?.body ?? ''));
        return fetch(input.replace(bench.origin, service), init);
      }) as typeof fetch,
    });
    await client.bootstrap();
    service = next.origin;
    bench.bodies.length = 0;
    const response = await client.fetch('/echo', { method: 'POST', body: '{"a":1}' });
    expect(await response.json()).toEqual({ data: { query: {}, body: { a: 1 } } });
    const [first, , second] = bench.bodies.map((body) => (body === '' ? null : JSON.parse(body)));
    expect(second.kid).toBe('next');
    expect(bench.bodies).toHaveLength(3);
    for (const member of ['nonce', 'iv', 'ek', 'ct']) expect(second[member]).not.toBe(first[member]);
  });

  it('is not made without a new key in the bootstrap, nor a second time', async () => {
    let calls = 0;
    const refuse = (app: FastifyInstance) =>
      app.post('/always', async (_, reply) => {
        calls++;
        return reply.code(400).type('text/plain').send('');
      });
    const bench = await listen(refuse);
    const refusing = (async (input: string, init?: RequestInit) => {
      if (input.endsWith('/encryption/public-key')) return fetch(input, init);
      calls++;
      return Response.json({ code: 'ENVELOPE_KEY_UNKNOWN' }, { status: 400 });
    }) as typeof fetch;
    const response = await bench.client({ fetch: refusing }).fetch('/always', { method: 'POST' });
    expect(await response.json()).toEqual({ code: 'ENVELOPE_KEY_UNKNOWN' });
    expect(calls).toBe(1);
  });

  it('a wrong clock is corrected by the bootstrap, and by a refusal', async () => {
    const bench = await listen();
    let device = bench.service.clock.now + 3_600_000;
    const client = bench.client({ now: () => device });
    expect(await client.fetch('/echo')).toMatchObject({ status: 200 });
    device -= 3_600_000;
    expect(await client.fetch('/echo')).toMatchObject({ status: 200 });
    expect(bench.sent.filter(({ url }) => url.startsWith('/echo'))).toHaveLength(3);
    device += 9_000_000;
    const unsafe = await client.fetch('/echo', { method: 'POST' });
    expect(await unsafe.json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    device -= 9_000_000;
    const keyed = await client.fetch('/echo', { method: 'POST', headers: { 'idempotency-key': 'a' } });
    expect(keyed.status).toBe(200);
  });

  it('a sealed refusal comes from the application, and causes no retry', async () => {
    let calls = 0;
    const bench = await listen((app) =>
      app.get('/odd', async () => {
        calls++;
        throw Object.assign(new Error('no'), { statusCode: 400, code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: 1 });
      }),
    );
    expect((await bench.client().fetch('/odd')).status).toBe(400);
    expect(calls).toBe(1);
  });
});

describe('ENV-4 the client is for browsers too', () => {
  it('reports every fault of its options at once', () => {
    const options = { baseUrl: 'ftp://x', now: 1, bypass: ['x', '/*'], bootstrapPath: 'x' } as never;
    expect(() => createEnvelopeClient(options)).toThrow(/baseUrl[\s\S]*now[\s\S]*bypass[\s\S]*bootstrapPath/);
  });

  it('ADP-1 refuses unknown and missing options with one setup error, and suggests the nearest name', () => {
    const create = () => createEnvelopeClient({ bypassRoutes: ['/files'], colour: 'secret' } as never);
    expect(create).toThrow(EnvelopeClientSetupError);
    try {
      create();
    } catch (error) {
      const { code, subject, faults, message } = error as EnvelopeClientSetupError;
      expect({ code, subject }).toEqual({ code: 'ENVELOPE_CLIENT_SETUP_INVALID', subject: 'createEnvelopeClient' });
      expect(faults).toEqual([
        'bypassRoutes is not an option; did you mean bypass?',
        expect.stringMatching(/^colour is not an option; the options are baseUrl, fetch, /),
        'baseUrl is required: an http or https URL without user, query and fragment',
      ]);
      expect(message).not.toContain('secret');
    }
  });

  it('ADP-1 says that fetch is required where there is no global one', () => {
    vi.stubGlobal('fetch', undefined);
    try {
      expect(() => createEnvelopeClient({ baseUrl: 'http://x' })).toThrow(/fetch is required/);
      expect(() => createEnvelopeClient({ baseUrl: 'http://x', fetch: async () => new Response() })).not.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('imports only noble, @sallyport/plugin-kit/options and own files, and uses no Node.js API', () => {
    const optionsSource = new URL('../../../plugin-kit/src/options/index.ts', import.meta.url);
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (url: URL) => {
      if (seen.has(url.href)) return;
      seen.add(url.href);
      const source = readFileSync(url, 'utf8');
      const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code, url.pathname).not.toMatch(/\b(Buffer|process|global)\.|\b(require|setImmediate)\(/);
      for (const [statement, specifier] of code.matchAll(/(?:import|export)\s[^;]*?from '([^']+)'/g)) {
        if (/^(?:import|export) type /.test(statement)) continue;
        if (specifier!.startsWith('.')) visit(new URL(specifier!.replace(/\.js$/, '.ts'), url));
        else if (specifier === '@sallyport/plugin-kit/options') visit(optionsSource);
        else packages.add(specifier!);
      }
    };
    visit(new URL('../../src/client/index.ts', import.meta.url));
    expect(seen.size).toBeGreaterThan(10);
    expect([...packages].filter((name) => !name.startsWith('@noble/') || isBuiltin(name))).toEqual([]);
  });
});
