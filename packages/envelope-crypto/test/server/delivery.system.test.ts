import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { METHODS } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { EnvelopeCryptoOptions } from '../../src/index.js';
import { sendRaw } from '../raw-http.js';
import { type Plain, seal } from '../sealed-request.js';
import { createService, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

async function serve(
  routes: (app: FastifyInstance, handled: unknown[]) => unknown,
  crypto: EnvelopeCryptoOptions = {},
  server: FastifyServerOptions = {},
) {
  const handled: unknown[] = [];
  const service = await createService({ crypto, server, routes: (app) => routes(app, handled) });
  opened.push(service);
  return { service, handled };
}

/** Sends the same request as plaintext and in an envelope, to two otherwise equal services. */
async function sendBothWays(routes: (app: FastifyInstance) => unknown, plain: Plain, server?: FastifyServerOptions) {
  const { service: off } = await serve(routes, { mode: 'OFF' }, server);
  const { service } = await serve(routes, {}, server);
  const { method = 'POST', path = '/echo', query, body } = plain;
  const clear = await off.app.inject({
    method: method as 'POST',
    url: `${path}${query === undefined ? '' : `?${query}`}`,
    ...(body === undefined
      ? {}
      : {
          payload: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
  });
  const envelope = seal(service, plain);
  const sealed = await envelope.send();
  return { clear, sealed, plaintext: envelope.open(sealed) };
}

const echo = (app: FastifyInstance) =>
  app.all('/echo', async ({ query, body, headers }) => ({
    data: { query, body, type: headers['content-type'], length: headers['content-length'] },
  }));

describe('ENV-5 a handler gets what a plaintext request would give it', () => {
  const schema = {
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['n'],
      properties: { n: { type: 'integer', maximum: 5 }, tags: { type: 'array', items: { type: 'string' } } },
    },
    querystring: { type: 'object', properties: { n: { type: 'integer', maximum: 5 }, on: { type: 'boolean' } } },
  };
  const withSchema = (app: FastifyInstance) =>
    app.post('/echo', { schema }, async ({ query, body }) => ({ data: { query, body } }));
  const withQuerySchema = (app: FastifyInstance) =>
    app.get('/echo', { schema: { querystring: schema.querystring } }, async ({ query }) => ({ data: { query } }));

  it.each<[string, Plain]>([
    ['a body and a query', { query: 'a=1&a=2&b=%20+&empty=&flag', body: { x: [1, { y: null }] } }],
    ['no body', {}],
    ['a query alone', { query: 'a=1' }],
    ['an empty object', { body: {} }],
    ['null', { body: 'null' }],
    ['a scalar', { body: '7' }],
    ['white space around', { body: ' {"a":1}\n\n' }],
    ['a byte order mark', { body: '\ufeff{"a":1}' }],
    ['a PUT', { method: 'PUT', body: { a: 1 } }],
    ['a PATCH', { method: 'PATCH', body: { a: 1 } }],
    ['a DELETE with a body', { method: 'DELETE', body: { a: 1 } }],
    ['a DELETE without one', { method: 'DELETE', query: 'a=1', carrier: 'query' }],
    ['a GET', { method: 'GET', query: 'a=1&__proto__=2&constructor=3' }],
    ...(METHODS.includes('QUERY') ? [['a QUERY', { method: 'QUERY', body: { a: 1 } }] as [string, Plain]] : []),
  ])('%s', async (_, plain) => {
    const { clear, plaintext } = await sendBothWays(echo, plain);
    expect(JSON.parse(plaintext)).toEqual(clear.json());
    expect(clear.statusCode).toBe(200);
  });

  // HTTP-4: an unexpected property is refused, not dropped.
  const strict: FastifyServerOptions = { ajv: { customOptions: { removeAdditional: false } } };

  it('EC-35 a body that violates the schema gets the refusal of a plaintext request, sealed', async () => {
    for (const body of [{ n: 6 }, { n: 1, admin: true }, {}, { n: 'x' }, [], 'null']) {
      const { clear, sealed, plaintext } = await sendBothWays(withSchema, { body }, strict);
      expect(clear.statusCode).toBe(400);
      expect(sealed).toMatchObject({ statusCode: 400, headers: { 'api-encryption': 'v1' } });
      expect(plaintext).toBe(clear.body);
    }
  });

  it('EC-36 a query that violates the schema is refused, and a valid one is coerced', async () => {
    const refused = await sendBothWays(withQuerySchema, { method: 'GET', query: 'n=99' });
    expect(refused.sealed.statusCode).toBe(400);
    expect(refused.plaintext).toBe(refused.clear.body);
    const served = await sendBothWays(withQuerySchema, { method: 'GET', query: 'n=5&on=true' });
    expect(JSON.parse(served.plaintext)).toEqual({ data: { query: { n: 5, on: true } } });
    const inBody = await sendBothWays(withSchema, { query: 'n=99', body: { n: 1 } });
    expect(inBody.sealed.statusCode).toBe(400);
  });

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"a":{"__proto__":{"admin":true}}}',
    '{"\\u005f_proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
  ])('EC-33 %s pollutes nothing, and is refused as in the clear', async (body) => {
    const { clear, sealed, plaintext } = await sendBothWays(echo, { body });
    expect(clear.statusCode).toBe(400);
    expect(sealed.statusCode).toBe(400);
    expect(plaintext).toBe(clear.body);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each(['__proto__[admin]=true', '__proto__.admin=true', 'constructor[prototype][admin]=true', '__proto__=1'])(
    'EC-33 a query of %s pollutes nothing',
    async (query) => {
      const { clear, plaintext } = await sendBothWays(echo, { method: 'GET', query });
      expect(JSON.parse(plaintext)).toEqual(clear.json());
      expect(({} as { admin?: unknown }).admin).toBeUndefined();
    },
  );

  it('EC-33 the instance’s settings decide about prototype poisoning', async () => {
    const server: FastifyServerOptions = { onProtoPoisoning: 'remove', onConstructorPoisoning: 'remove' };
    const { clear, plaintext } = await sendBothWays(echo, { body: '{"__proto__":{"admin":true},"a":1}' }, server);
    expect(clear.json()).toMatchObject({ data: { body: { a: 1 } } });
    expect(JSON.parse(plaintext)).toEqual(clear.json());
  });

  it.each(['{', '{"a":1', 'undefined', "{'a':1}", '[1,]', '\u0000', '"\ud800"'.slice(0, 2)])(
    'ENV-5 a body that is not JSON (%j) gets the refusal of a plaintext request, sealed, and uses up its nonce',
    async (body) => {
      const { clear, sealed, plaintext } = await sendBothWays(echo, { body });
      expect(clear.statusCode).toBe(400);
      expect(sealed.statusCode).toBe(400);
      expect(plaintext).toBe(clear.body);
    },
  );

  it('ENV-5 deep nesting is parsed like any other JSON', async () => {
    const body = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const { clear, sealed } = await sendBothWays(
      (app) => app.post('/echo', async ({ body }) => ({ data: Array.isArray(body) })),
      { body },
    );
    expect(sealed.statusCode).toBe(clear.statusCode);
  });

  it("ENV-5 the route's bodyLimit holds for the plaintext, and not for the envelope", async () => {
    const { service } = await serve((app) =>
      app.post('/echo', { bodyLimit: 100 }, async ({ body }) => ({ data: body })),
    );
    const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
    expect(await seal(service, { query: 'q'.repeat(200), body: text(100) }).send()).toMatchObject({ statusCode: 200 });
    const tooLarge = seal(service, { body: text(101) });
    const response = await tooLarge.send();
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(tooLarge.open(response))).toMatchObject({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
  });

  it("ENV-5 an envelope may be longer than the instance's bodyLimit", async () => {
    const { service } = await serve(echo, {}, { bodyLimit: 50 });
    expect(await seal(service, { body: { a: 1 } }).send()).toMatchObject({ statusCode: 200 });
  });

  it('ENV-5 a route without a parser for JSON still gets its plaintext', async () => {
    const { service } = await serve((app) =>
      app.register(async (child) => {
        child.removeAllContentTypeParsers();
        child.post('/echo', async ({ body }) => ({ data: body }));
      }),
    );
    const sealed = seal(service, { body: { a: 1 } });
    expect(JSON.parse(sealed.open(await sealed.send()))).toEqual({ data: { a: 1 } });
  });

  it('ENV-5 a querystring parser of the application parses the decrypted query too', async () => {
    const querystringParser = (text: string) => Object.fromEntries(new URLSearchParams(text.toUpperCase()));
    const { service } = await serve(echo, { querystringParser }, { routerOptions: { querystringParser } });
    const sealed = seal(service, { method: 'GET', query: 'a=b' });
    expect(JSON.parse(sealed.open(await sealed.send()))).toMatchObject({ data: { query: { A: 'B' } } });
  });
});

describe('the envelope is hidden', () => {
  it('ENV-1 no hook and no handler sees it after it was opened', async () => {
    const seen: unknown[] = [];
    const { service } = await serve((app) => {
      app.addHook('onRequest', async ({ query }) => void seen.push(['onRequest', { ...(query as object) }]));
      app.addHook('preParsing', async (request, _reply, payload) => {
        const chunks: unknown[] = [];
        for await (const chunk of payload) chunks.push(chunk);
        seen.push(['preParsing', { ...(request.query as object) }, request.headers['content-length'], chunks]);
        return payload;
      });
      app.addHook(
        'preValidation',
        async ({ query, body }) => void seen.push(['preValidation', { ...(query as object) }, body]),
      );
      app.addHook(
        'preHandler',
        async ({ query, body }) => void seen.push(['preHandler', { ...(query as object) }, body]),
      );
      app.all('/echo', async () => ({ data: null }));
    });
    await seal(service, { query: 'a=1', body: { b: 2 } }).send();
    expect(seen).toEqual([
      ['onRequest', {}],
      ['preParsing', {}, undefined, []],
      ['preValidation', {}, undefined],
      ['preHandler', { a: '1' }, { b: 2 }],
    ]);
    seen.length = 0;
    await seal(service, { method: 'GET', query: 'a=1' }).send();
    expect(seen).toEqual([
      ['onRequest', {}],
      ['preParsing', {}, undefined, []],
      ['preValidation', {}, undefined],
      ['preHandler', { a: '1' }, undefined],
    ]);
  });

  it('ENV-1 the route sees request.envelope, and its own preValidation sees the plaintext', async () => {
    const seen: unknown[] = [];
    const { service } = await serve((app) =>
      app.post('/echo', { preValidation: async ({ body }) => void seen.push(body) }, async ({ envelope }) => ({
        data: { ...envelope, state: envelope?.state, nonce: envelope?.nonce.length },
      })),
    );
    const sealed = seal(service, { body: { a: 1 }, ahead: -5 });
    const { now } = service.clock;
    expect(JSON.parse(sealed.open(await sealed.send()))).toEqual({
      data: {
        keyId: 'test-key',
        nonce: 16,
        timestamp: now - 5,
        receivedAt: now,
        timestampWindowSeconds: 300,
        carrier: 'body',
        state: 'claimed',
      },
    });
    expect(seen).toEqual([{ a: 1 }]);
  });

  it('ENV-1 a route that was registered too early fails closed', async () => {
    const seen: unknown[] = [];
    const service = await createService({
      crypto: { allowEarlierRoutes: true },
      before: (app) => app.post('/echo', async (request) => void seen.push(request.body)),
    });
    opened.push(service);
    const sealed = seal(service, { body: { a: 1 } });
    const response = await sealed.send();
    expect(response.statusCode).toBe(500);
    expect(JSON.parse(sealed.open(response))).toMatchObject({ code: 'ENVELOPE_NOT_DELIVERED' });
    expect(seen).toEqual([]);
  });

  it.each([
    ['unreachable', 503, 'ENVELOPE_REPLAY_STORE_UNAVAILABLE'],
    ['asleep', 500, 'ENVELOPE_NOT_DELIVERED'],
  ] as const)('RPL-1 with a replay guard that is %s nothing is delivered or sealed', async (fault, status, code) => {
    const seen: unknown[] = [];
    const { service } = await serve((app) => app.all('/echo', async (request) => void seen.push(request.body)));
    service.store[fault] = true;
    for (const plain of [{ body: { a: 1 } }, { method: 'GET' }] as const) {
      const response = await seal(service, plain).send();
      expect(response.json()).toMatchObject({ code, status });
      expect(response.headers).not.toHaveProperty('api-encryption');
    }
    expect(seen).toEqual([]);
  });
});

describe('bodies over a socket', () => {
  async function listen(routes: (app: FastifyInstance) => unknown = echo, crypto: EnvelopeCryptoOptions = {}) {
    const { service } = await serve(routes, crypto);
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    return { service, port: (service.app.server.address() as AddressInfo).port };
  }

  const headers = [
    ['Api-Encryption', 'v1'],
    ['Content-Type', 'application/json'],
  ] as const;

  const chunked = (text: string, size: number) =>
    `${[...text.matchAll(new RegExp(`[^]{1,${size}}`, 'g'))].map(([part]) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

  it('ENV-1 a chunked body is a body', async () => {
    const { service, port } = await listen();
    const sealed = seal(service, { body: { a: 1 } });
    const response = await sendRaw(port, {
      method: 'POST',
      target: '/echo',
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      body: chunked(JSON.stringify(sealed.members), 50),
    });
    expect(response).toMatchObject({ status: 200, headers: { 'api-encryption': 'v1' } });
  });

  it.each([
    ['gzip, chunked', 400],
    ['identity,chunked', 400],
    ['gzip\r\nTransfer-Encoding: chunked', 400],
    ['CHUNKED', 200],
  ])('HTTP-7 an envelope with the transfer coding %j is %i', async (coding, status) => {
    const { service, port } = await listen();
    const sealed = seal(service, { body: { a: 1 } });
    const response = await sendRaw(port, {
      method: 'POST',
      target: '/echo',
      headers: [...headers, ['Transfer-Encoding', coding]],
      body: chunked(JSON.stringify(sealed.members), 50),
    });
    expect(response.status).toBe(status);
    if (status === 400) expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'ENVELOPE_MALFORMED' });
    expect(service.store.asked).toHaveLength(status === 400 ? 0 : 1);
  });

  it('ORD-1 the async context of an earlier hook survives a body that arrives in parts', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const arrived = new EventEmitter();
    const { service, port } = await listen(
      (app) => {
        app.addHook('onRequest', (_request, _reply, done) => {
          context.run('of this request', done);
          arrived.emit('request');
        });
        app.addHook('onError', async () => seen.push(['refused', context.getStore()]));
        app.post('/echo', async () => {
          seen.push(['handled', context.getStore()]);
          return {};
        });
      },
      { maxPayloadBytes: 1000 },
    );
    const sealed = JSON.stringify(seal(service, { body: { a: 1 } }).members);
    for (const body of [sealed, `${sealed}${' '.repeat(5000)}`]) {
      const head = `POST /echo HTTP/1.1\r\nHost: service.test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n`;
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head}${lines}\r\n`));
      // A refused body is cut off.
      const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
      await once(arrived, 'request');
      for (const part of chunked(body, 200).split(/(?<=\r\n)/)) {
        socket.write(part);
        await setImmediate();
      }
      socket.resume();
      await closed;
    }
    expect(seen).toEqual([
      ['handled', 'of this request'],
      ['refused', 'of this request'],
    ]);
  });

  it('ENV-1 an endless chunked body is cut at the limit and not kept in memory', async () => {
    const { service, port } = await listen(echo, { maxPayloadBytes: 1000 });
    const response = await sendRaw(port, {
      method: 'POST',
      target: '/echo',
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      // Without a last chunk the body never ends.
      body: `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`,
    });
    expect(response).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'ENVELOPE_TOO_LARGE' });
    expect(service.store.asked).toEqual([]);
  });

  it('ENV-1 a Content-Length over the limit is refused before the body arrives', async () => {
    const { port } = await listen(echo, { maxPayloadBytes: 1000 });
    const response = await sendRaw(port, {
      method: 'POST',
      target: '/echo',
      headers: [...headers, ['Content-Length', '2381']],
    });
    expect(response.status).toBe(413);
  });

  it('EC-05 a chunked body beside __enc is refused, even an empty one', async () => {
    const { service, port } = await listen();
    const sealed = seal(service, { carrier: 'query' });
    const response = await sendRaw(port, {
      method: 'POST',
      target: String(sealed.request().url),
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      body: '0\r\n\r\n',
    });
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'ENVELOPE_MALFORMED' });
    expect(service.store.asked).toEqual([]);
  });

  it('ENV-1 a slow body is timed when it is complete, so an old envelope is not in time', async () => {
    const { service, port } = await listen();
    const sealed = seal(service, { body: { a: 1 } });
    const text = JSON.stringify(sealed.members);
    const arrived = new Promise<void>((resolve) => service.app.server.once('request', () => resolve()));
    const answer = new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', async () => {
        socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nApi-Encryption: v1\r\n`);
        socket.write(`Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, 20)}`);
        await arrived;
        service.clock.now += 300_001;
        socket.write(text.slice(20));
      });
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received));
    });
    expect(await answer).toContain('ENVELOPE_EXPIRED_OR_REPLAYED');
    expect(service.store.asked).toEqual([]);
  });

  it('ENV-1 a client that disconnects within the body leaves nothing behind', async () => {
    const { service, port } = await listen();
    const arrived = new Promise<void>((resolve) => service.app.server.once('request', () => resolve()));
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', async () => {
        socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nApi-Encryption: v1\r\nContent-Type: application/json\r\n');
        socket.write('Content-Length: 500\r\n\r\n{"kid"');
        await arrived;
        socket.destroy();
      });
      socket.on('close', () => resolve());
    });
    const connections = () => new Promise<number>((resolve) => service.app.server.getConnections((_, n) => resolve(n)));
    await expect.poll(connections).toBe(0);
    expect(await seal(service, { body: { a: 1 } }).send()).toMatchObject({ statusCode: 200 });
  });

  it('ENV-1 over HTTP/2 a body needs no Content-Length', async () => {
    const service = await createService({ server: { http2: true } as object, routes: echo });
    opened.push(service);
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.address() as AddressInfo;
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const send = (path: string, body: string) =>
      new Promise<{ status: unknown; text: string }>((resolve, reject) => {
        const type = { 'content-type': 'application/json', 'api-encryption': 'v1' };
        const stream = session.request({ ':method': 'POST', ':path': path, ...type });
        let status: unknown;
        let text = '';
        stream.on('response', (headers) => {
          status = headers[':status'];
        });
        stream.on('data', (chunk) => {
          text += chunk;
        });
        stream.on('error', reject).on('end', () => resolve({ status, text }));
        stream.write(body.slice(0, 10));
        stream.end(body.slice(10));
      });
    const inBody = seal(service, { body: { a: 1 } });
    expect(await send('/echo', JSON.stringify(inBody.members))).toMatchObject({ status: 200 });
    const inQuery = seal(service, { carrier: 'query' });
    const refused = await send(String(inQuery.request().url), '{"a":1}');
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'ENVELOPE_MALFORMED' });
    session.close();
  });

  it('ENV-1 the path is bound as it was sent, before the application rewrites it', async () => {
    const handled: unknown[] = [];
    const service = await createService({
      server: { rewriteUrl: ({ url }) => url!.replace('/v1/', '/') },
      routes: (app) => app.post('/echo', async ({ body }) => void handled.push(body)),
    });
    opened.push(service);
    await seal(service, { path: '/v1/echo', body: { a: 1 } }).send();
    expect(handled).toEqual([{ a: 1 }]);
    const other = await seal(service, { path: '/echo', body: { a: 2 } }).send({ path: '/v1/echo' });
    expect(other.json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
  });
});
