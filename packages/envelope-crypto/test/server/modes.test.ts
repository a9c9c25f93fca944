import { METHODS } from 'node:http';
import { type FastifyInstance, fastify, type InjectOptions } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createEnvelopeClient } from '../../src/client/index.js';
import { type EnvelopeCryptoOptions, envelopeCrypto, publicKeyRoute } from '../../src/index.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey, type ReplayStore, type Service, testGuard } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

const required = () => ({ mode: 'REQUIRED', keyId: 'k', privateKey: privateKey() }) as const;
const noClaims = (): ReplayStore => ({ claimed: new Set(), asked: [], unreachable: false, asleep: false });

async function serve(crypto: EnvelopeCryptoOptions, routes?: (app: FastifyInstance) => unknown) {
  const handled: unknown[] = [];
  const service = await createService({
    crypto,
    routes(app) {
      const schema = {
        body: {
          type: 'object',
          additionalProperties: false,
          required: ['amount'],
          properties: { amount: { type: 'integer' } },
        },
      };
      const note = async ({ query, body }: { query: unknown; body: unknown }) => {
        handled.push({ query, body });
        return { data: { query, body } };
      };
      // HTTP-4: an unexpected property is refused, not dropped.
      app.post('/payments', { schema }, note);
      app.get('/payments', note);
      app.delete('/payments', note);
      routes?.(app);
    },
    server: { ajv: { customOptions: { removeAdditional: false } } },
  });
  opened.push(service);
  const inject = (request: InjectOptions) => service.app.inject(request);
  return { service, handled, inject };
}

describe('EC-01 ENV-1 the right envelope', () => {
  it.each(['OPTIONAL', 'REQUIRED'] as const)('is served in mode %s, as body and as query', async (mode) => {
    const { service, handled } = await serve({ mode });
    const post = seal(service, { path: '/payments', query: 'dryRun=true', body: { amount: 5 } });
    const posted = await post.send();
    expect(posted).toMatchObject({ statusCode: 200, headers: { 'api-encryption': 'v1', 'cache-control': 'no-store' } });
    const get = seal(service, { method: 'GET', path: '/payments', query: 'page=2&x=%E5%BC%A0' });
    const got = await get.send();
    expect(got).toMatchObject({ statusCode: 200, headers: { 'api-encryption': 'v1' } });

    const seen = [
      { query: { dryRun: 'true' }, body: { amount: 5 } },
      { query: { page: '2', x: '张' }, body: undefined },
    ];
    expect(handled.map((item) => ({ ...(item as object) }))).toEqual(seen);
    expect(JSON.parse(post.open(posted))).toEqual({ data: seen[0] });
    expect(JSON.parse(get.open(got))).toEqual({ data: { query: { page: '2', x: '张' } } });
    expect(`${posted.body}${got.body}`).not.toMatch(/amount|dryRun|page/);
  });
});

describe('mode REQUIRED', () => {
  const plain: InjectOptions[] = [
    { method: 'POST', url: '/payments', payload: { amount: 5 } },
    { method: 'GET', url: '/payments?page=1' },
    { method: 'GET', url: '/payments' },
    { method: 'HEAD', url: '/payments' },
    { method: 'DELETE', url: '/payments' },
    { method: 'OPTIONS', url: '/payments' },
    { method: 'GET', url: '/nowhere' },
  ];

  it.each(plain)('EC-02 EC-03 EC-04 ORD-5 refuses the plaintext $method $url', async (request) => {
    const { service, handled, inject } = await serve({ mode: 'REQUIRED' });
    const response = await inject(request);
    expect(response.statusCode).toBe(400);
    if (request.method !== 'HEAD') expect(response.json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    expect(handled).toEqual([]);
    expect(service.store.asked).toEqual([]);
  });

  it('ORD-5 answers an unknown path with a sealed 404, and uses up the nonce', async () => {
    const { service } = await serve({ mode: 'REQUIRED' });
    for (const plain of [
      { path: '/nowhere', body: { a: 1 } },
      { method: 'GET', path: '/nowhere' },
    ] as const) {
      const sealed = seal(service, plain);
      const response = await sealed.send();
      expect(response).toMatchObject({ statusCode: 404, headers: { 'api-encryption': 'v1' } });
      expect(JSON.parse(sealed.open(response))).toMatchObject({ statusCode: 404 });
      expect((await sealed.send()).json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    }
  });

  it('does not deliver plaintext to an unknown path', async () => {
    const seen: unknown[] = [];
    const { service } = await serve({ mode: 'REQUIRED' }, (app) =>
      app.setNotFoundHandler(async ({ query, body }, reply) => {
        seen.push({ ...(query as object) }, body);
        return reply.code(404).send({ code: 'NOT_FOUND' });
      }),
    );
    await seal(service, { path: '/nowhere', query: 'a=1', body: { a: 1 } }).send();
    expect(seen).toEqual([{}, undefined]);
  });
});

describe('mode OPTIONAL', () => {
  it('ENV-1 serves plaintext, and answers with plaintext', async () => {
    const { inject, handled } = await serve({ mode: 'OPTIONAL' });
    const response = await inject({ method: 'POST', url: '/payments', payload: { amount: 5 } });
    expect(response.json()).toEqual({ data: { query: {}, body: { amount: 5 } } });
    expect(response.headers).not.toHaveProperty('api-encryption');
    expect(handled).toHaveLength(1);
  });

  it('EC-06 an envelope without its header is refused: a body by the schema, a query by the policy', async () => {
    const { service, handled, inject } = await serve({ mode: 'OPTIONAL' });
    const withoutHeader = { headers: { 'api-encryption': undefined } };
    const body = seal(service, { path: '/payments', body: { amount: 5 } });
    expect(await body.send(withoutHeader)).toMatchObject({ statusCode: 400 });
    const query = seal(service, { method: 'GET', path: '/payments' });
    expect((await query.send(withoutHeader)).json()).toMatchObject({ code: 'ENVELOPE_MALFORMED' });
    expect((await inject({ url: '/payments?%5F%5Fenc=x' })).json()).toMatchObject({ code: 'ENVELOPE_MALFORMED' });
    expect(handled).toEqual([]);
    expect(service.store.asked).toEqual([]);
    expect(await body.send()).toMatchObject({ statusCode: 200 });
    expect(await query.send()).toMatchObject({ statusCode: 200 });
  });

  it('ENV-7 counts plaintext requests by route, without envelopes and exempt routes', async () => {
    const { service, inject } = await serve({ mode: 'OPTIONAL' });
    await inject({ method: 'POST', url: '/payments', payload: { amount: 5 } });
    await inject({ method: 'GET', url: '/payments?page=1' });
    await inject({ method: 'GET', url: '/%70ayments' });
    await inject({ method: 'GET', url: '/nowhere-1' });
    await inject({ method: 'GET', url: '/nowhere-2' });
    await inject({ method: 'GET', url: '/encryption/public-key' });
    await seal(service, { method: 'GET', path: '/payments' }).send();
    expect(Object.fromEntries(service.app.envelopeCrypto.plaintextUses())).toEqual({
      'POST /payments': 1,
      'GET /payments': 2,
      'GET (no route)': 2,
    });
  });
});

describe('mode OFF', () => {
  it('EC-07 treats an envelope as ordinary JSON, which the schema refuses', async () => {
    const { service: other } = await serve({ mode: 'REQUIRED' });
    const { service, handled, inject } = await serve({ mode: 'OFF' });
    const response = await inject(seal(other, { path: '/payments', body: { amount: 5 } }).request());
    expect(response).toMatchObject({ statusCode: 400 });
    expect(response.headers).not.toHaveProperty('api-encryption');
    expect(handled).toEqual([]);
    expect(service.store.asked).toEqual([]);
    const query = await inject(seal(other, { method: 'GET', path: '/payments' }).request());
    expect(query.json()).toMatchObject({ data: { query: { __enc: expect.any(String) } } });
  });

  it.each<[string, EnvelopeCryptoOptions]>([
    ['privateKey', { keyId: 'k', privateKey: privateKey() }],
    ['privateKey', { mode: undefined, keyId: 'k', privateKey: privateKey() } as object],
    [
      'privateKey and previousKeys',
      { ...required(), mode: undefined, previousKeys: [{ keyId: 'j', privateKey: privateKey() }] } as object,
    ],
    ['keyProvider', { keyProvider: { keyId: 'k', publicKey: 'x', unwrap: async () => null } }],
  ])('ENV-2 is not the silent default beside %s', async (names, options) => {
    const app = fastify();
    const starting = (async () => app.register(envelopeCrypto, options))();
    await expect(starting).rejects.toMatchObject({
      faults: expect.arrayContaining([
        `mode is required with ${names}: 'OPTIONAL' or 'REQUIRED', or 'OFF' to encrypt nothing`,
      ]),
    });
  });

  it('ENV-2 is told once in the log at info, and may have a key', async () => {
    const { service } = await serve({ mode: 'OFF', keyId: 'k', privateKey: privateKey() });
    const told = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => /encryption is OFF/.test(msg));
    expect(told).toEqual([expect.objectContaining({ level: 30 })]);
    const { service: on } = await serve({ mode: 'REQUIRED' });
    expect(on.log.join()).not.toContain('encryption is OFF');
  });

  it('ENV-2 needs no key, and the bootstrap omits it', async () => {
    const { fastify } = await import('fastify');
    const { envelopeCrypto, publicKeyRoute } = await import('../../src/index.js');
    const app = fastify();
    await app.register(envelopeCrypto);
    await app.register(publicKeyRoute);
    const { data } = (await app.inject('/encryption/public-key')).json();
    expect(data).toMatchObject({ mode: 'OFF', suite: 'sm2-sm4-gcm-v1', version: 1 });
    expect(data).not.toHaveProperty('keyId');
    expect(data).not.toHaveProperty('publicKey');
    expect(app.envelopeCrypto).toMatchObject({ mode: 'OFF', keyId: null, publicKey: null });
    await app.close();
  });
});

describe('exempt routes', () => {
  it('EC-49 the default exemptions are for their methods only', async () => {
    const { inject } = await serve({ mode: 'REQUIRED' }, (app) => {
      for (const url of ['/actuator/health', '/public/storage/preview', '/public/storage/download']) {
        app.route({ method: ['GET', 'POST', 'PUT', 'DELETE'], url, handler: async () => ({ data: url }) });
      }
    });
    const statusOf = async (method: string, url: string) => (await inject({ method: method as 'GET', url })).statusCode;
    for (const url of ['/public/storage/preview', '/public/storage/download', '/encryption/public-key']) {
      expect(await statusOf('GET', url)).toBe(200);
      for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) expect(await statusOf(method, url)).toBe(400);
    }
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect(await statusOf(method, '/actuator/health')).toBe(200);
  });

  it.each(['//x/y', '/x//y', '/x/y/', '/X/y', '/x/z/../y', '/x/y/.', '/x/y;a', '/x/y%2f', '/x%2fy'])(
    'EC-48 %s is not the exempt route /x/y, and opens nothing',
    async (url) => {
      const { inject } = await serve({ mode: 'REQUIRED', bypassRoutes: ['/x/y'] }, (app) => {
        app.get('/x/y', async () => ({ data: 'exempt' }));
        app.get('/*', async () => ({ data: 'not exempt' }));
      });
      expect((await inject({ url: '/x/y' })).json()).toEqual({ data: 'exempt' });
      const { body } = await inject({ url });
      expect(body).not.toContain('not exempt');
    },
  );

  it('ENV-1 a route’s config exempts it with all its parameters and methods, and no other route', async () => {
    const { inject } = await serve({ mode: 'REQUIRED' }, (app) => {
      app.get('/files/:id', { config: { bypassEnvelope: true } }, async () => ({ data: 'exempt' }));
      app.get('/files/list', async () => ({ data: 'not exempt' }));
      app.get('/others/:id', { config: { bypassEnvelope: false } }, async () => ({ data: 'not exempt' }));
    });
    expect((await inject({ url: '/files/1' })).json()).toEqual({ data: 'exempt' });
    expect((await inject({ method: 'HEAD', url: '/files/1' })).statusCode).toBe(200);
    for (const url of ['/files/list', '/others/1', '/files/1/more']) {
      expect((await inject({ url })).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    }
  });

  it.each<[string, (app: FastifyInstance) => Promise<unknown>]>([
    [
      'with a prefix',
      async (app) => {
        await app.register(envelopeCrypto, required());
        await app.register(testGuard, { store: noClaims() });
        await app.register(publicKeyRoute, { prefix: '/api' });
        app.get('/api/me', async () => ({ data: 'me' }));
      },
    ],
    [
      'in an encapsulated scope with a prefix',
      async (app) =>
        app.register(
          async (api) => {
            await api.register(envelopeCrypto, { ...required(), scope: 'encapsulated' });
            await api.register(testGuard, { store: noClaims() });
            await api.register(publicKeyRoute);
            api.get('/me', async () => ({ data: 'me' }));
          },
          { prefix: '/api' },
        ),
    ],
  ])('ENV-4 the public key route is exempt %s, for GET alone', async (_, register) => {
    const app = fastify();
    await register(app);
    const url = '/api/encryption/public-key';
    expect((await app.inject(url)).json()).toMatchObject({ data: { mode: 'REQUIRED', keyId: 'k' } });
    expect((await app.inject({ method: 'HEAD', url })).statusCode).toBe(400);
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await app.inject({ method, url })).statusCode).not.toBe(200);
    }
    expect((await app.inject('/api/me')).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    const injected = (async (input: string | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(input);
      const headers = Object.fromEntries(new Headers(init?.headers));
      const { statusCode: status, ...response } = await app.inject({ url: pathname + search, headers });
      return new Response(response.body, { status, headers: response.headers as Record<string, string> });
    }) as typeof fetch;
    const client = createEnvelopeClient({ baseUrl: 'http://service.test', fetch: injected, bootstrapPath: url });
    expect(await (await client.fetch('/api/me')).json()).toEqual({ data: 'me' });
    await app.close();
  });

  it('EC-48 a spelling that the router maps to the exempt route is exempt', async () => {
    const { inject } = await serve({ mode: 'REQUIRED', bypassRoutes: ['/x/y'] }, (app) =>
      app.get('/x/y', async () => ({ data: 'exempt' })),
    );
    expect((await inject({ url: '/%78/y?a=1' })).json()).toEqual({ data: 'exempt' });
  });

  it('EC-48 the method may have any case, and exempts only itself', async () => {
    const { inject } = await serve({ mode: 'REQUIRED', bypassRoutes: ['/x get', '/y'] }, (app) => {
      app.route({ method: ['GET', 'POST', 'DELETE'], url: '/x', handler: async () => ({ data: 1 }) });
      app.route({ method: ['GET', 'POST', 'DELETE'], url: '/y', handler: async () => ({ data: 1 }) });
    });
    const codes = async (url: string) =>
      Promise.all(
        (['GET', 'POST', 'DELETE'] as const).map(async (method) => (await inject({ method, url })).statusCode),
      );
    expect(await codes('/x')).toEqual([200, 400, 400]);
    expect(await codes('/y')).toEqual([200, 200, 200]);
  });

  it('ENV-1 an exempt route behaves as in OFF: nothing is opened or sealed, and no header is read', async () => {
    const { service, inject } = await serve({ mode: 'REQUIRED', bypassRoutes: ['/x'] }, (app) =>
      app.route({
        method: ['GET', 'POST'],
        url: '/x',
        handler: async ({ query, body }) => ({ data: { query, body } }),
      }),
    );
    const sealed = seal(service, { path: '/x', body: { amount: 1 } });
    const response = await sealed.send();
    expect(response.json()).toEqual({ data: { query: {}, body: sealed.members } });
    expect(response.headers).not.toHaveProperty('api-encryption');
    const odd = await inject({ method: 'GET', url: '/x?__enc=1&__enc=2', headers: { 'api-encryption': 'v9' } });
    expect(odd.json()).toEqual({ data: { query: { __enc: ['1', '2'] } } });
    expect(service.store.asked).toEqual([]);
  });

  it('ENV-1 inside a child scope it protects that scope, and nothing outside it', async () => {
    const app = fastify();
    await app.register(async (scope) => {
      await scope.register(envelopeCrypto, {
        scope: 'encapsulated',
        mode: 'REQUIRED',
        keyId: 'k',
        privateKey: privateKey(),
      });
      scope.decorate('replayGuard', {} as never);
      scope.get('/inside', async () => ({ data: 1 }));
    });
    app.get('/outside', async () => ({ data: 1 }));
    expect((await app.inject('/inside')).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    expect((await app.inject('/outside')).json()).toEqual({ data: 1 });
    await app.close();
  });

  it('ENV-1 a CORS preflight is exempt, and OPTIONS without its headers is not', async () => {
    const { inject } = await serve({ mode: 'REQUIRED' }, (app) => app.options('/payments', async () => ({ data: 1 })));
    const preflight = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
    const statusOf = async (headers: Record<string, string>, method: 'OPTIONS' | 'GET' = 'OPTIONS') =>
      (await inject({ method, url: '/payments', headers })).statusCode;
    expect(await statusOf(preflight)).toBe(200);
    expect(await statusOf({ origin: preflight.origin })).toBe(400);
    expect(await statusOf({ 'access-control-request-method': 'POST' })).toBe(400);
    expect(await statusOf(preflight, 'GET')).toBe(400);
  });

  it('ENV-1 a CORS preflight is exempt for an unknown path and for all paths at once', async () => {
    const asked = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
    const { inject } = await serve({ mode: 'REQUIRED' }, (app) => app.options('*', async () => ({ data: 'allowed' })));
    expect((await inject({ method: 'OPTIONS', url: '/anything', headers: asked })).statusCode).toBe(200);
    const bare = await serve({ mode: 'REQUIRED' });
    expect((await bare.inject({ method: 'OPTIONS', url: '/nowhere', headers: asked })).statusCode).toBe(404);
  });

  it.each<[string, InjectOptions['payload']]>([
    ['without a body', undefined],
    ['with a body', { amount: 5 }],
  ])('ENV-1 what looks like a preflight is none where the route answers other methods, too: %s', async (_, payload) => {
    const seen: unknown[] = [];
    const { inject } = await serve({ mode: 'REQUIRED' }, (app) => {
      app.all('/all', async ({ body }) => void seen.push(body));
      app.options('/alone', async ({ body }) => void seen.push(body));
    });
    const headers = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
    for (const url of payload === undefined ? ['/all'] : ['/all', '/alone', '/nowhere']) {
      const response = await inject({ method: 'OPTIONS', url, headers, ...(payload && { payload }) });
      expect(response).toMatchObject({ statusCode: 400 });
      expect(response.json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    }
    expect(seen).toEqual([]);
  });
});

describe('bypass-routes that are refused at the start', () => {
  const broad = ['/**', '/*', '*', '/', '**', '/admin/**', '', ' '];
  const inexact = [
    ...['/x  get', '/x GET extra', '/x FETCH', 'x GET', '/x?y GET', '/../x', '/x/', '/X', '/%78', '/x/:id', '/(.*)'],
    ...[
      'http://h/x',
      ' /x',
      '/x ',
      '/x\tGET',
      '/x#y',
      '/./x',
      '//x',
      '/x//',
      '/x\u0000',
      '/{x}',
      '/y',
      '/x DELETE',
      '/ü',
    ],
  ];

  it.each(broad.map((entry) => [entry]))('EC-47 %j', async (entry) => {
    await expect(serveBypass(entry)).rejects.toThrow(/bypassRoutes/);
  });

  it.each(inexact.map((entry) => [entry]))('EC-48 %j', async (entry) => {
    await expect(serveBypass(entry)).rejects.toThrow(/bypassRoutes/);
  });

  it('EC-48 anything that is not a string', async () => {
    for (const entry of [null, 7, {}, ['/x'], /x/]) await expect(serveBypass(entry)).rejects.toThrow(/bypassRoutes/);
    await expect(serve({ bypassRoutes: '/x' as never })).rejects.toThrow(/bypassRoutes/);
  });

  it('ADP-1 a method before its path is named, with the entry that was meant', async () => {
    await expect(serveBypass('GET /x')).rejects.toThrow(
      /bypassRoutes\[0\]: the entry has its parts in the wrong order; write "\/x GET"/,
    );
  });

  it('EC-48 all faults are reported at once, in mode OFF too', async () => {
    const starting = serve({ mode: 'OFF', bypassRoutes: ['/*', '/x FETCH', 'x'] });
    await expect(starting).rejects.toThrow(/\[0\]: "\/\*"[\s\S]*\[1\]: "\/x FETCH"[\s\S]*\[2\]: the entry has/);
  });

  it('OPS-10 EC-43 a private key in the wrong variable is named by its index, and not shown', async () => {
    const key = privateKey();
    const misplaced = [`2025:${key}`, key, `/${key} FETCH`, `/x?key=${key.toUpperCase()}`, `/x/${key.slice(0, 32)} `];
    const message = await serve({ mode: 'OFF', bypassRoutes: misplaced }).catch((error: Error) => error.message);
    for (const index of misplaced.keys()) expect(message).toContain(`bypassRoutes[${index}]: the entry `);
    expect(String(message).toLowerCase()).not.toContain(key.slice(0, 8));
    // Its text is a valid path.
    await expect(serveBypass(`/${key}`)).rejects.toThrow(/bypassRoutes\[0\]: no route answers to the entry;/);
    await expect(serveBypass('/nowhere')).rejects.toThrow(/bypassRoutes\[0\]: no route answers to "\/nowhere";/);
  });

  it.each(METHODS.filter((method) => ['GET', 'POST', 'DELETE'].includes(method)))(
    'EC-48 and %s is accepted where a route matches it',
    async (method) => {
      await expect(serveBypass(`/x ${method.toLowerCase()}`, ['GET', 'POST', 'DELETE'])).resolves.toBeDefined();
    },
  );

  function serveBypass(entry: unknown, methods = ['GET']) {
    return serve({ mode: 'REQUIRED', bypassRoutes: [entry as string] }, (app) => {
      app.route({ method: methods, url: '/x', handler: async () => ({ data: 1 }) });
      app.get('/x/:id', async () => ({ data: 1 }));
      app.get('/*', async () => ({ data: 1 }));
    });
  }
});
