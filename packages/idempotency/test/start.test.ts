import { createMemoryStore } from '@sallyport/ttl-store';
import { drizzle } from 'drizzle-orm/postgres-js';
import Fastify, { type FastifyContextConfig, type HTTPMethods } from 'fastify';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import idempotency, { type IdempotencyOptions } from '../src/index.js';
import { createIdempotencyRecordsTable, createPostgresIdempotencyStore } from '../src/postgres/index.js';

const principalOf = () => 'somebody';

async function start(
  config: object,
  options: Partial<IdempotencyOptions> = {},
  method: HTTPMethods | HTTPMethods[] = 'POST',
): Promise<void> {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(idempotency, { store: createMemoryStore(), principalOf, ...options });
  app.route({ method, url: '/register', config: config as FastifyContextConfig, handler: async () => 'done' });
  await app.ready();
}

describe('IDM-8 ID-26 the start', () => {
  const rateLimit = { max: 5 };

  it('is refused for a public route that opts in without captcha, or without a rate limit', async () => {
    const base = { idempotency: true, access: 'public' };
    await expect(start(base)).rejects.toThrow(
      'idempotency:\n' +
        '- POST /register: a public route that opts in needs config.captcha: true\n' +
        '- POST /register: a public route that opts in needs a config.rateLimit',
    );
    await expect(start({ ...base, captcha: true })).rejects.toThrow(/rateLimit/);
    await expect(start({ ...base, rateLimit })).rejects.toThrow(/captcha/);
    await expect(start({ ...base, captcha: true, rateLimit: false })).rejects.toThrow(/rateLimit/);
    await expect(start({ ...base, captcha: 'yes', rateLimit })).rejects.toThrow(/captcha/);
    await expect(start({ ...base, captcha: true, rateLimit })).resolves.toBeUndefined();
    await expect(start({ access: 'public' })).resolves.toBeUndefined();
    await expect(start({ idempotency: true })).resolves.toBeUndefined();
  });

  it('uses the option isPublic to find public routes', async () => {
    const isPublic = (config: Readonly<Record<string, unknown>>) => config.anonymous === true;
    await expect(start({ idempotency: true, anonymous: true }, { isPublic })).rejects.toThrow(/captcha/);
    await expect(start({ idempotency: true, access: 'public' }, { isPublic })).resolves.toBeUndefined();
  });

  it.each([
    [{ idempotency: 'yes' }, /config\.idempotency must be/],
    [{ idempotency: null }, /config\.idempotency must be/],
    [
      { idempotency: { requird: true } },
      /POST \/register: config\.idempotency\.requird is not an option; did you mean config\.idempotency\.required\?/,
    ],
    [{ idempotency: { required: 'yes' } }, /required must be true or false/],
    [{ idempotency: { transactional: 1 } }, /transactional must be true or false/],
    [{ idempotency: { content: 'stream' } }, /content must be 'request', 'as-sent' or 'in-handler'/],
    [
      { idempotency: { result: 'whole' } },
      /POST \/register: config\.idempotency\.result must be 'none', 'location' or 'body'/,
    ],
    [{ idempotency: { result: true } }, /result must be 'none', 'location' or 'body'/],
    [{ idempotency: { results: 'location' } }, /results is not an option; did you mean config\.idempotency\.result\?/],
    [{ idempotency: { transactional: true } }, /transactional needs createPostgresIdempotencyStore/],
  ])('is refused for a route with %j', async (config, fault) => {
    await expect(start(config)).rejects.toThrow(fault);
  });

  it('is refused for a route with a safe method', async () => {
    await expect(start({ idempotency: true }, {}, 'GET')).rejects.toThrow(
      'GET /register: config.idempotency is for routes that write: give the methods that read a route of their own',
    );
    await expect(start({ idempotency: true }, {}, ['POST', 'GET'])).rejects.toThrow(/POST, GET/);
  });

  it('is refused if nothing says whose keys they are', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(idempotency, { store: createMemoryStore() });
    app.post('/', { config: { idempotency: true } }, async () => 'done');
    await expect(app.ready()).rejects.toThrow(/principalOf is required where nothing decorates request\.principal/);
  });

  it('ADP-1 lists every bad option at once, by name and with what to give instead', async () => {
    const bad = {
      store: {},
      principalOf: 1,
      isPublic: 1,
      isSafeFailure: 1,
      leaseSeconds: 0.5,
      retentionSeconds: Number.NaN,
      retryAfterSeconds: 0,
      keyPrefix: '',
      leaseSecs: 1,
    } as unknown as IdempotencyOptions;
    await expect(async () => Fastify().register(idempotency, bad)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_SETUP_INVALID',
      subject: 'idempotency',
      faults: [
        'leaseSecs is not an option; did you mean leaseSeconds?',
        expect.stringMatching(/^store must be a TtlStore/),
        expect.stringMatching(/^principalOf must be a function/),
        expect.stringMatching(/^isPublic must be a function/),
        expect.stringMatching(/^isSafeFailure must be a function/),
        expect.stringMatching(/^leaseSeconds must be a whole number of seconds from 1 to 3600$/),
        expect.stringMatching(/^retentionSeconds must be a whole number of seconds/),
        expect.stringMatching(/^retryAfterSeconds must be a whole number of seconds/),
        expect.stringMatching(/^keyPrefix must be a string of 1 to 256 bytes/),
      ],
    });
    await expect(async () => Fastify().register(idempotency, {} as never)).rejects.toThrow(
      /^idempotency: store is required: a TtlStore/,
    );
  });

  it('ADP-1 takes the options of register', async () => {
    const options = { store: createMemoryStore(), principalOf, prefix: '/v1', logLevel: 'warn' } as const;
    await expect(Fastify().register(idempotency, options)).resolves.toBeDefined();
  });

  it('IDM-6 a record must outlive its lease', async () => {
    await expect(start({}, { leaseSeconds: 60, retentionSeconds: 100 })).rejects.toThrow(
      'retentionSeconds must be at least twice leaseSeconds',
    );
  });

  it('ADP-1 lists every bad option of the PostgreSQL store', () => {
    const bad = { database: {}, tabel: 'x', timeoutMillis: 0, sweepEveryRecords: -1 } as never;
    expect(() => createPostgresIdempotencyStore(bad)).toThrow(
      expect.objectContaining({
        code: 'IDEMPOTENCY_SETUP_INVALID',
        subject: 'createPostgresIdempotencyStore',
        faults: [
          'tabel is not an option; did you mean table?',
          expect.stringMatching(/^database must be a drizzle database/),
          expect.stringMatching(/^timeoutMillis must be/),
          expect.stringMatching(/^sweepEveryRecords must be/),
        ],
      }),
    );
    const sql = postgres('postgres://nobody@127.0.0.1:1/none');
    expect(() => createPostgresIdempotencyStore({ database: drizzle(sql) })).not.toThrow();
  });

  it('ADP-1 lists every bad parameter of createIdempotencyRecordsTable', async () => {
    await expect(createIdempotencyRecordsTable({} as never, 'records' as never)).rejects.toThrow(
      /createIdempotencyRecordsTable:\n- database must be a drizzle database.*\n- table must be a table made by/,
    );
  });
});

describe('IDM-2 a request', () => {
  it('ADP-2 of a route that is older than the plugin is refused and not run unprotected', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    let runs = 0;
    app.post('/early', { config: { idempotency: true } }, async () => {
      runs += 1;
    });
    await app.register(idempotency, { store: createMemoryStore(), principalOf, allowEarlierRoutes: true });
    const answer = await app.inject({ method: 'POST', url: '/early' });
    expect([answer.statusCode, answer.json().message, runs]).toEqual([
      500,
      'idempotency: POST /early: the route or its scope was registered before the plugin, and is not protected: register the plugin first',
      0,
    ]);
  });

  it('ID-12 without a principal is refused on a route that is not public: callers would share keys', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(idempotency, { store: createMemoryStore(), principalOf: () => null });
    app.post('/', { config: { idempotency: true } }, async () => 'done');
    const open = { idempotency: true, access: 'public', captcha: true, rateLimit: {} } as FastifyContextConfig;
    app.post('/open', { config: open }, async () => 'done');
    const headers = { 'idempotency-key': crypto.randomUUID() };
    expect((await app.inject({ method: 'POST', url: '/', headers })).json().code).toBe('IDEMPOTENCY_SETUP_INVALID');
    expect((await app.inject({ method: 'POST', url: '/open', headers })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url: '/open', headers })).statusCode).toBe(409);
  });

  it('carries the principal of @sallyport/auth-tokens by default: audience and subject', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    app.decorateRequest('principal', null);
    app.addHook('onRequest', async (request) => {
      const [audience, subject] = String(request.headers['x-user']).split(':');
      Object.assign(request, { principal: { audience, subject } });
    });
    await app.register(idempotency, { store: createMemoryStore() });
    app.post('/', { config: { idempotency: true } }, async () => 'done');
    const key = crypto.randomUUID();
    const statusFor = async (user: string) =>
      (await app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': key, 'x-user': user } })).statusCode;
    expect([await statusFor('admin:1'), await statusFor('app:1'), await statusFor('admin:1')]).toEqual([200, 200, 409]);
  });
});

describe('a form whose files are read in the handler', () => {
  it("ADP-2 is refused, and the answer says content: 'in-handler'", async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(idempotency, { store: createMemoryStore(), principalOf });
    // As @fastify/multipart.
    app.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    let runs = 0;
    const handler = async () => ++runs;
    app.post('/files', { config: { idempotency: true } }, handler);
    app.post('/begun', { config: { idempotency: { content: 'in-handler' } } }, async (request) => {
      await request.idempotency?.begin('the content');
      return handler();
    });
    const send = (url: string) =>
      app.inject({
        method: 'POST',
        url,
        headers: {
          'content-type': 'multipart/form-data; boundary=x',
          'idempotency-key': 'c9bf9e57-1685-4c89-bafb-ff5af830be8a',
        },
        payload: '--x--',
      });
    const { statusCode, json } = await send('/files');
    expect(statusCode).toBe(500);
    expect(json().message).toMatch(/^idempotency: POST \/files: .* give the route content: 'in-handler'/);
    expect(runs).toBe(0);
    expect((await send('/begun')).statusCode).toBe(200);
  });
});
