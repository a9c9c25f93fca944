import { hash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { type Plain, seal } from '../sealed-request.js';
import { createService, type Service, type ServiceOptions } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

async function serve(options: ServiceOptions) {
  const service = await createService(options);
  opened.push(service);
  return service;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Sends one sealed request to a route with the handler. */
async function answer(handler: Handler, plain: Plain = {}, routes: (app: FastifyInstance) => unknown = () => {}) {
  const service = await serve({
    routes(app) {
      routes(app);
      app.route({ method: [...new Set([plain.method ?? 'POST', 'GET'])], url: '/echo', handler });
    },
  });
  const sealed = seal(service, plain);
  const response = await sealed.send();
  return { service, sealed, response, open: () => sealed.open(response) };
}

const json = '{"data":{"name":"张三"}}';

/** As of a package such as undici: no instance of the global class, and Fastify sends it nevertheless. */
function foreignResponse(bodyUsed = false) {
  const { status, headers, body } = new Response(json, { headers: { 'content-type': 'application/json' } });
  return { status, headers, body, bodyUsed, [Symbol.toStringTag]: 'Response' };
}

describe('ENV-1 a JSON response is sealed', () => {
  it.each<[string, Handler]>([
    ['an object', () => Promise.resolve(JSON.parse(json))],
    ['a text', (_, reply) => reply.type('application/json').send(json)],
    ['a buffer', (_, reply) => reply.type('application/json').send(Buffer.from(json))],
    ['a typed array', (_, reply) => reply.type('application/json').send(new Uint8Array(Buffer.from(json)))],
    [
      'a stream',
      (_, reply) => reply.type('application/json').send(Readable.from([json.slice(0, 9), Buffer.from(json.slice(9))])),
    ],
    ['a web stream', (_, reply) => reply.type('application/json').send(new Blob([json]).stream())],
    [
      'a fetch Response',
      (_, reply) => reply.send(new Response(json, { headers: { 'content-type': 'application/json', etag: 'x' } })),
    ],
    ['a Response of another implementation', (_, reply) => reply.send(foreignResponse())],
    ['+json', (_, reply) => reply.type('application/vnd.example+json; charset=utf-8').send(json)],
    ['a type in capitals', (_, reply) => reply.type('APPLICATION/JSON').send(json)],
  ])('%s', async (_, handler) => {
    const { response, open } = await answer(handler);
    expect(response.headers).toMatchObject({
      'api-encryption': 'v1',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(response.rawPayload.length),
    });
    expect(response.headers).not.toHaveProperty('etag');
    expect(Object.keys(response.json())).toEqual(['ts', 'nonce', 'iv', 'ct']);
    expect(open()).toBe(json);
  });

  it('ENV-1 its caching headers are removed: an envelope is for one request', async () => {
    const { response } = await answer((_, reply) =>
      reply
        .headers({ etag: '"abc"', 'cache-control': 'public, max-age=60', 'content-length': '24' })
        .send(JSON.parse(json)),
    );
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(response.headers).not.toHaveProperty('etag');
  });

  it.each([200, 201, 202, 400, 404, 409, 422, 500, 503])('EC-41 with status %i', async (status) => {
    const { response, open } = await answer((_, reply) => reply.code(status).send({ status }));
    expect(response).toMatchObject({ statusCode: status, headers: { 'api-encryption': 'v1' } });
    expect(JSON.parse(open())).toEqual({ status });
  });

  it('EC-41 an error of the handler is sealed, as problem+json', async () => {
    const { response, open } = await answer(() => {
      throw Object.assign(new Error('the balance is 5'), { statusCode: 409, code: 'CONFLICT' });
    });
    expect(response).toMatchObject({ statusCode: 409, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(response.body).not.toContain('balance');
    expect(JSON.parse(open())).toMatchObject({ status: 409, code: 'CONFLICT', detail: 'the balance is 5' });
  });

  it('EC-41 refusals before the claim are plaintext, and later ones sealed', async () => {
    const refuse = (code: number) =>
      async function refuseAlways(request: FastifyRequest) {
        if (request.headers['x-refuse'] === String(code)) throw Object.assign(new Error('no'), { statusCode: code });
      };
    const service = await serve({
      // Authentication and path authorization run before; rate limiting is an onRequest hook of the route.
      before: (app) => app.addHook('onRequest', refuse(401)).addHook('onRequest', refuse(403)),
      routes: (app) =>
        app.route({
          method: ['GET', 'POST'],
          url: '/echo',
          onRequest: refuse(429),
          handler: () => {
            throw new Error('broken');
          },
        }),
    });
    for (const plain of [{}, { method: 'GET' }] as const) {
      const sealed = seal(service, plain);
      for (const status of [401, 403, 429]) {
        const response = await sealed.send({ headers: { 'x-refuse': String(status) } });
        expect(response.statusCode).toBe(status);
        expect(response.headers).not.toHaveProperty('api-encryption');
        expect(response.json()).toMatchObject({ detail: 'no' });
      }
      expect(service.store.claimed).not.toContain(`test-key:${sealed.members.nonce}`);
      const response = await sealed.send();
      expect(response).toMatchObject({ statusCode: 500, headers: { 'api-encryption': 'v1' } });
      expect(JSON.parse(sealed.open(response))).toMatchObject({ status: 500 });
    }
  });

  it('ORD-2 a garbage query envelope counts against the rate limit, and the limit wins', async () => {
    let counted = 0;
    const service = await serve({
      routes: (app) =>
        app.get(
          '/echo',
          {
            onRequest: async () => {
              if (++counted > 1) throw Object.assign(new Error('slow down'), { statusCode: 429 });
            },
          },
          async () => ({ data: null }),
        ),
    });
    const sealed = seal(service, { method: 'GET' });
    const garbage = { members: { ...sealed.members, ct: 'AAAAAAAAAAAAAAAAAAAAAAAA' } };
    expect((await sealed.send(garbage)).json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
    expect((await sealed.send(garbage)).statusCode).toBe(429);
    expect(counted).toBe(2);
    expect(service.store.asked).toEqual([]);
  });

  it('EC-41 an error in a hook after the sealing is sealed again, with another IV', async () => {
    let broken = true;
    const bodies: unknown[] = [];
    const service = await serve({
      routes(app) {
        app.addHook('onSend', async (_request, _reply, payload) => {
          bodies.push(payload);
          if (!broken) return payload;
          broken = false;
          throw Object.assign(new Error('no audit'), { statusCode: 503 });
        });
        app.post('/echo', async () => ({ data: null }));
      },
    });
    const sealed = seal(service);
    const response = await sealed.send();
    expect(response).toMatchObject({ statusCode: 503, headers: { 'api-encryption': 'v1' } });
    expect(JSON.parse(sealed.open(response))).toMatchObject({ status: 503, detail: 'no audit' });
    const [first, second] = bodies.map((body) => JSON.parse(String(body)) as { iv: string });
    expect(first!.iv).not.toBe(second!.iv);
  });
});

describe('EC-42 unsealed responses are unchanged', () => {
  it('a 204, a 304, and an empty body', async () => {
    for (const status of [204, 304]) {
      const { response } = await answer((_, reply) => reply.code(status).send());
      expect(response).toMatchObject({ statusCode: status, body: '' });
      expect(response.headers).not.toHaveProperty('api-encryption');
    }
    const { response } = await answer((_, reply) => reply.type('application/json').send(''));
    expect(response).toMatchObject({ statusCode: 200, body: '', headers: { 'content-length': '0' } });
    expect(response.headers).not.toHaveProperty('api-encryption');
    const stream = await answer((_, reply) => reply.type('application/json').send(Readable.from([])));
    expect(stream.response).toMatchObject({ statusCode: 200, body: '' });
    expect(stream.response.headers).not.toHaveProperty('api-encryption');
  });

  it('a file, a text, and JSON under another media type', async () => {
    const file = Buffer.from([0, 255, 13, 10, 0]);
    const download = await answer((_, reply) => reply.type('application/octet-stream').send(Readable.from([file])));
    expect(download.response.rawPayload).toEqual(file);
    const csv = await answer((_, reply) => reply.type('text/csv').header('etag', '"1"').send('a,b\n'));
    expect(csv.response).toMatchObject({ body: 'a,b\n', headers: { 'content-length': '4', etag: '"1"' } });
    for (const { response } of [download, csv]) expect(response.headers).not.toHaveProperty('api-encryption');
  });

  it.each<[string, Plain['path'], Handler]>([
    ['an object', '/echo', async () => JSON.parse(json)],
    ['a stream', '/echo', (_, reply) => reply.type('application/json').send(new PassThrough())],
    ['an error', '/echo', () => Promise.reject(new Error('no'))],
    ['an unknown path', '/nowhere', async () => ({})],
  ])('HEAD has neither envelope, nor header, nor the length of the hidden body: %s', async (_, path, handler) => {
    const service = await serve({ routes: (app) => app.get('/echo', handler) });
    const response = await seal(service, { method: 'HEAD', path: path! }).send();
    expect(response.body).toBe('');
    expect(response.headers).not.toHaveProperty('api-encryption');
    expect(response.headers).not.toHaveProperty('content-length');
    expect(service.store.claimed.size).toBe(1);
  });

  it.each<[string, Plain['path'], Handler]>([
    ['an object', '/echo', async () => JSON.parse(json)],
    ['a text', '/echo', (_, reply) => reply.type('application/json').send(json)],
    [
      'a fetch Response',
      '/echo',
      (_, reply) => reply.send(new Response(json, { headers: { 'content-type': 'application/json', etag: '"own"' } })),
    ],
    ['an ETag of its own', '/echo', (_, reply) => reply.header('etag', '"own"').send(JSON.parse(json))],
    ['an unknown path', '/nowhere', async () => ({})],
  ])('ENV-1 HEAD has no ETag of the hidden body, as GET has none: %s', async (_, path, handler) => {
    const service = await serve({
      routes(app) {
        // As @fastify/etag does.
        app.addHook('onSend', async (request, reply, payload) => {
          const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
          if (isText && !reply.hasHeader('etag')) reply.header('etag', `"${hash('sha1', payload)}"`);
          if (request.headers['if-none-match'] !== reply.getHeader('etag')) return payload;
          reply.code(304);
          return null;
        });
        app.get('/echo', handler);
      },
    });
    const head = await seal(service, { method: 'HEAD', path: path! }).send();
    expect(head.headers).not.toHaveProperty('etag');
    const plaintextTag = `"${hash('sha1', JSON.stringify(JSON.parse(json)))}"`;
    // With the guess of an attacker, or without one.
    for (const guess of [plaintextTag, '"own"', undefined]) {
      const get = await seal(service, { method: 'GET', path: path! }).send({ headers: { 'if-none-match': guess } });
      expect(get.statusCode).not.toBe(304);
      expect(get.headers).toHaveProperty('api-encryption');
      expect([plaintextTag, '"own"']).not.toContain(get.headers.etag);
    }
  });

  it('HEAD of an own HEAD route, and of content that is not JSON', async () => {
    const service = await serve({
      routes: (app) =>
        app
          .head('/own', async (_, reply) => reply.type('application/json').send(json))
          .get('/file', async (_, reply) => reply.type('text/csv').header('etag', '"1"').send('a,b\n')),
    });
    const own = await seal(service, { method: 'HEAD', path: '/own' }).send();
    expect(own.headers).not.toHaveProperty('content-length');
    const file = await seal(service, { method: 'HEAD', path: '/file' }).send();
    expect(file.headers).toMatchObject({ 'content-length': '4', etag: '"1"' });
  });
});

describe('a response that can’t be sealed', () => {
  it('ENV-1 is replaced by a plaintext 500 without data', async () => {
    const { response } = await answer((_, reply) =>
      reply.type('application/json').header('content-encoding', 'gzip').send(Buffer.from('secret')),
    );
    expect(response).toMatchObject({ statusCode: 500 });
    expect(response.json()).toMatchObject({ code: 'ENVELOPE_SEALING_FAILED' });
    expect(response.body).not.toContain('secret');
    expect(response.headers).not.toHaveProperty('api-encryption');
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it('ENV-1 a fetch Response that was read before becomes a sealed error', async () => {
    const read = new Response(json, { headers: { 'content-type': 'application/json' } });
    await read.text();
    for (const payload of [read, foreignResponse(true)]) {
      const { response, open } = await answer((_, reply) => reply.send(payload));
      expect(response).toMatchObject({ statusCode: 500, headers: { 'api-encryption': 'v1' } });
      expect(JSON.parse(open())).toMatchObject({ code: 'FST_ERR_REP_RESPONSE_BODY_CONSUMED' });
    }
  });

  it('ENV-1 a broken stream becomes a sealed error', async () => {
    const { response, open } = await answer((_, reply) => {
      const stream = new PassThrough();
      stream.write('{"data":"half');
      setImmediate(() => stream.destroy(new Error('disk')));
      return reply.type('application/json').send(stream);
    });
    expect(response.statusCode).toBe(500);
    expect(JSON.parse(open())).toMatchObject({ status: 500, detail: 'disk' });
  });
});

describe('EC-39 uniqueness', () => {
  it('a response answers its own request only', async () => {
    const service = await serve({ routes: (app) => app.post('/echo', async () => ({ data: 1 })) });
    const [one, other] = [seal(service), seal(service)];
    const response = await one.send();
    expect(() => other.open(response)).toThrow(/another request/);
    expect(one.open(response)).toBe('{"data":1}');
  });
});
