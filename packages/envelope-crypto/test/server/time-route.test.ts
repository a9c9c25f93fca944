import { fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createEnvelopeClient } from '../../src/client/index.js';
import { envelopeCrypto, publicKeyRoute } from '../../src/index.js';
import { injectedFetch } from '../injected-fetch.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey, type Service, testGuard } from '../service.js';

const YEAR = 365 * 24 * 3_600_000;
const PATH = '/encryption/time';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

async function serve(mode: 'OFF' | 'OPTIONAL' | 'REQUIRED' = 'REQUIRED') {
  const handled: unknown[] = [];
  const service = await createService({
    crypto: { mode },
    routes: (app) => app.all('/echo', async ({ body }) => ({ data: handled.push(body) })),
  });
  opened.push(service);
  return { service, handled };
}

describe('ENV-16 POST /encryption/time', () => {
  it.each([-YEAR, -301_000, 0, 301_000, YEAR])('opens an envelope of any stamp: %i ms ahead', async (ahead) => {
    const { service } = await serve();
    const question = seal(service, { path: PATH, ahead });
    const answer = await question.send();
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'api-encryption': 'v1', 'cache-control': 'no-store' } });
    expect(JSON.parse(question.open(answer))).toEqual({ data: { serverTime: service.clock.now } });
    expect(JSON.parse(answer.body).ts).toBe(service.clock.now);
  });

  it('records no nonce: the same envelope gets the time again, and it is another time', async () => {
    const { service } = await serve();
    const question = seal(service, { path: PATH });
    await question.send();
    service.clock.now += 1000;
    expect(JSON.parse(question.open(await question.send()))).toEqual({ data: { serverTime: service.clock.now } });
    expect(service.store.asked).toEqual([]);
    expect(service.store.claimed.size).toBe(0);
  });

  it('answers while the replay store is unreachable', async () => {
    const { service } = await serve();
    service.store.unreachable = true;
    expect((await seal(service, { path: PATH }).send()).statusCode).toBe(200);
  });

  it('opens no envelope of another route, which is served where it belongs', async () => {
    const { service, handled } = await serve();
    const request = seal(service, { path: '/echo', body: { amount: 5 } });
    expect((await request.send({ path: PATH })).json()).toMatchObject({ status: 400, code: 'ENVELOPE_REJECTED' });
    expect((await request.send()).statusCode).toBe(200);
    expect((await request.send()).json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    expect((await request.send({ path: PATH })).json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
    expect(handled).toEqual([{ amount: 5 }]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('its envelope is no request elsewhere: %s', async (method) => {
    const { service, handled } = await serve();
    const question = seal(service, { path: PATH });
    expect((await question.send({ path: '/echo', method })).json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
    expect(handled).toEqual([]);
  });

  it.each([{ query: 'a=1' }, { body: { a: 1 } }, { body: '\n' }])(
    'carries no request: $query $body is refused, sealed',
    async (plain) => {
      const { service } = await serve();
      const question = seal(service, { path: PATH, ...plain });
      const answer = await question.send();
      expect(answer).toMatchObject({ statusCode: 400, headers: { 'api-encryption': 'v1' } });
      expect(JSON.parse(question.open(answer))).toMatchObject({ code: 'ENVELOPE_PLAINTEXT_INVALID' });
    },
  );

  it('takes no query envelope, which would be opened before rate limits', async () => {
    const { service } = await serve();
    const answer = await seal(service, { path: PATH, carrier: 'query' }).send();
    expect(answer.json()).toMatchObject({ status: 400, code: 'ENVELOPE_MALFORMED' });
  });

  it.each(['OFF', 'OPTIONAL', 'REQUIRED'] as const)('is never answered in the clear: mode %s', async (mode) => {
    const { service } = await serve(mode);
    for (const payload of [undefined, { a: 1 }]) {
      const answer = await service.app.inject({ method: 'POST', url: PATH, ...(payload && { payload }) });
      expect(answer.json()).toMatchObject({ status: 400, code: 'ENVELOPE_REQUIRED' });
    }
  });

  it('refuses a key that it does not have, and a changed envelope', async () => {
    const { service } = await serve();
    const question = seal(service, { path: PATH });
    const unknown = await question.send({ members: { ...question.members, kid: 'other' } });
    expect(unknown.json()).toMatchObject({ code: 'ENVELOPE_KEY_UNKNOWN' });
    const moved = await question.send({ members: { ...question.members, ts: Number(question.members.ts) + 1 } });
    expect(moved.json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
  });

  it('is limited by the address where @fastify/rate-limit is registered, and public where auth-tokens is', async () => {
    const configs: unknown[] = [];
    const service = await createService({
      before: (app) =>
        app.addHook('onRoute', ({ url, config }) => {
          if (url === PATH) configs.push({ ...config });
        }),
    });
    opened.push(service);
    expect(configs).toEqual([
      expect.objectContaining({ access: 'public', audit: false, rateLimit: { max: 120, timeWindow: 60_000 } }),
    ]);
  });

  it('is beside the bootstrap under a prefix, where the client asks', async () => {
    const app = fastify();
    await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey: privateKey() });
    const store = { claimed: new Set<string>(), asked: [], unreachable: false, asleep: false };
    await app.register(testGuard, { store });
    await app.register(publicKeyRoute, { prefix: '/api' });
    app.post('/echo', async () => ({ data: 'served' }));
    const client = createEnvelopeClient({
      baseUrl: 'https://prefixed.test',
      bootstrapPath: '/api/encryption/public-key',
      fetch: injectedFetch(app),
      now: () => Date.now() - YEAR,
    });
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    await app.close();
  });
});
