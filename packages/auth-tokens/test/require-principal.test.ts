import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import authTokens, { generateSigningKey, requirePrincipal } from '../src/index.js';

async function startApp() {
  const app = Fastify();
  await app.register(authTokens, {
    store: createMemoryStore(),
    issuer: 'https://example.com',
    signingKey: generateSigningKey(),
  });
  app.get('/mine', { config: { access: 'admin' } }, async (request) => requirePrincipal(request));
  app.get('/open/:id', { config: { access: 'public' } }, async (request) => requirePrincipal(request));
  return app;
}

test('ADP-7 requirePrincipal returns the principal of a protected route', async () => {
  const app = await startApp();
  await app.ready();
  const { token, sessionId } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
  const response = await app.inject({ url: '/mine', headers: { authorization: `Bearer ${token}` } });
  expect(response.json()).toEqual({ audience: 'admin', subject: 'u-1', sessionId });
});

test('ADP-7 requirePrincipal on a public route is a setup error that names the route', async () => {
  const app = await startApp();
  const response = await app.inject('/open/1');
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({
    code: 'AUTH_TOKENS_SETUP_INVALID',
    message: expect.stringMatching(/nobody is identified on GET \/open\/:id: .*config\.access/),
  });
});
