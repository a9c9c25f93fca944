import { createMemoryStore } from '@sallyport/ttl-store';
import { drizzle } from 'drizzle-orm/postgres-js';
import Fastify, { type FastifyContextConfig, type HTTPMethods } from 'fastify';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import idempotency, { type IdempotencyOptions } from '../src/index.js';
import { createPostgresIdempotencyStore } from '../src/postgres/index.js';

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
      'idempotency: POST /register: a public route that opts in needs config.captcha: true; POST /register: a public route that opts in needs a config.rateLimit',
    );
    await expect(start({ ...base, captcha: true })).rejects.toThrow(/rateLimit/);
    await expect(start({ ...base, rateLimit })).rejects.toThrow(/captcha/);
    await expect(start({ ...base, captcha: true, rateLimit: false })).rejects.toThrow(/rateLimit/);
    await expect(start({ ...base, captcha: 'yes', rateLimit })).rejects.toThrow(/captcha/);
    await expect(start({ ...base, captcha: true, rateLimit })).resolves.toBeUndefined();
    await expect(start({ access: 'public' })).resolves.toBeUndefined();
    await expect(start({ idempotency: true })).resolves.toBeUndefined();
  });

  it('asks the option isPublic where access has other names', async () => {
    const isPublic = (config: Readonly<Record<string, unknown>>) => config.anonymous === true;
    await expect(start({ idempotency: true, anonymous: true }, { isPublic })).rejects.toThrow(/captcha/);
    await expect(start({ idempotency: true, access: 'public' }, { isPublic })).resolves.toBeUndefined();
  });

  it.each([
    [{ idempotency: 'yes' }, /config\.idempotency must be/],
    [{ idempotency: null }, /config\.idempotency must be/],
    [
      { idempotency: { requird: true } },
      /config\.idempotency\.requird is no option; there are required, transactional/,
    ],
    [{ idempotency: { required: 'yes' } }, /required must be true or false/],
    [{ idempotency: { transactional: 1 } }, /transactional must be true or false/],
    [{ idempotency: { transactional: true } }, /transactional needs createPostgresIdempotencyStore/],
  ])('is refused for a route with %j', async (config, fault) => {
    await expect(start(config)).rejects.toThrow(fault);
  });

  it('is refused for a route that changes nothing', async () => {
    await expect(start({ idempotency: true }, {}, 'GET')).rejects.toThrow(
      'GET /register: config.idempotency is for routes that write',
    );
    await expect(start({ idempotency: true }, {}, ['POST', 'GET'])).rejects.toThrow(/POST,GET/);
  });

  it('is refused where nothing says whose keys they are', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(idempotency, { store: createMemoryStore() });
    app.post('/', { config: { idempotency: true } }, async () => 'done');
    await expect(app.ready()).rejects.toThrow(/principalOf must be given/);
  });

  it('lists every bad option at once, by name and with what to give instead', async () => {
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
    await expect(async () => Fastify().register(idempotency, bad)).rejects.toThrow(
      /^idempotency: leaseSecs is no option; .*; store must be .*; principalOf must be .*; isPublic must be .*; isSafeFailure must be .*; leaseSeconds must be .*; retentionSeconds must be .*; retryAfterSeconds must be .*; keyPrefix must be /,
    );
  });

  it('IDM-6 a record must outlive its lease', async () => {
    await expect(start({}, { leaseSeconds: 60, retentionSeconds: 100 })).rejects.toThrow(
      'retentionSeconds must be a whole number of seconds from 120 to 34560000',
    );
  });

  it('lists every bad option of the PostgreSQL store', () => {
    expect(() =>
      createPostgresIdempotencyStore({ database: {} as never, timeoutMillis: 0, sweepEveryRecords: -1 }),
    ).toThrow(
      /createPostgresIdempotencyStore: database must be .*; timeoutMillis must be .*; sweepEveryRecords must be /,
    );
    const sql = postgres('postgres://nobody@127.0.0.1:1/none');
    expect(() => createPostgresIdempotencyStore({ database: drizzle(sql) })).not.toThrow();
  });
});

describe('IDM-2 a request', () => {
  it('of a route that is older than the plugin is refused, not run unprotected', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    let runs = 0;
    app.post('/early', { config: { idempotency: true } }, async () => {
      runs += 1;
    });
    await app.register(idempotency, { store: createMemoryStore(), principalOf });
    const answer = await app.inject({ method: 'POST', url: '/early' });
    expect([answer.statusCode, answer.json().message, runs]).toEqual([
      500,
      'idempotency: register it before the route POST /early',
      0,
    ]);
  });

  it('ID-12 of nobody, on a route that is not public, is refused: two callers would be one', async () => {
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
