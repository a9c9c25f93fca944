// ADP-13: the plugin fits an application with HTTP/2.
import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify({ http2: true });
const signingKey = generateSigningKey();
await app.register(authTokens, { store: createMemoryStore(), issuer: 'https://example.com', signingKey });
app.post('/payments', { config: { access: 'admin' } }, async (request) => {
  await app.authTokens.confirm(request);
  return { subject: request.principal?.subject };
});
// @ts-expect-error
app.post('/raw', async (request) => app.authTokens.confirm(request.raw));
