import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { describe, expect, it, onTestFinished } from 'vitest';
import envelopeCrypto, { publicKeyRoute } from '../../packages/envelope-crypto/src/index.js';
import idempotency, { type IdempotencyOptions } from '../../packages/idempotency/src/index.js';
import replayGuard from '../../packages/replay-guard/src/index.js';
import { createMemoryStore } from '../../packages/ttl-store/src/index.js';

const once = { config: { idempotency: true } };
const pay = async () => ({ data: { paid: true } });

function open(): FastifyInstance {
  const app = Fastify();
  onTestFinished(() => app.close());
  return app;
}

const options = (): IdempotencyOptions => ({ store: createMemoryStore(), principalOf: () => 'ada' });

/** As @fastify/under-pressure with `exposeStatusRoute: true`. */
const statusRoute = fp(async (app: FastifyInstance) => {
  app.get('/status', async () => ({ status: 'ok' }));
});

describe('routes that idempotency finds when it is registered', () => {
  it('ADP-15 may be there if they do not opt in, and routes that follow are protected', async () => {
    const app = open();
    const privateKey = randomBytes(32).toString('hex');
    await app.register(envelopeCrypto, { mode: 'OPTIONAL', keyId: 'k', privateKey, kernelThread: false });
    await app.register(replayGuard, { store: createMemoryStore() });
    await app.register(publicKeyRoute);
    await app.register(statusRoute);
    app.post('/clicks', pay);
    await app.register(idempotency, options());
    app.post('/payments', once, pay);

    await app.ready();
    expect((await app.inject('/status')).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/encryption/public-key')).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url: '/clicks' })).statusCode).toBe(200);
    const { json } = await app.inject({ method: 'POST', url: '/payments' });
    expect(json().code).toBe('IDEMPOTENCY_KEY_REQUIRED');
  });

  it('ADP-15 stop the start if they opt in, by name, in whatever scope they are', async () => {
    const app = open();
    app.post('/clicks', pay);
    app.post('/payments', { config: { idempotency: false } }, pay);
    await app.register(
      async (scope) => void scope.route({ method: ['PUT', 'PATCH'], url: '/', ...once, handler: pay }),
      {
        prefix: '/orders',
      },
    );
    await expect(async () => app.register(idempotency, options())).rejects.toThrow(
      /^idempotency: register it before every route that asks for it; registered earlier: PUT, PATCH \/orders\. /,
    );
  });

  it('ADP-15 are judged by what earlier hooks made of their config', async () => {
    const app = open();
    app.addHook('onRoute', (route) => void Object.assign(route, { config: { ...route.config, ...once.config } }));
    app.post('/payments', pay);
    await expect(async () => app.register(idempotency, options())).rejects.toThrow(/earlier: POST \/payments\./);
  });

  it('ADP-15 stop the start if they opt in and lie in its encapsulated scope; those elsewhere may be', async () => {
    const app = open();
    app.post('/elsewhere', pay);
    const inside = (config: object) =>
      app.register(async (scope) => {
        scope.post(`/inside-${Object.keys(config)}`, { config }, pay);
        await scope.register(idempotency, { ...options(), scope: 'encapsulated' });
      });
    inside({});
    inside(once.config);
    await expect(app.ready()).rejects.toThrow(/earlier: POST \/inside-idempotency\./);
  });
});
