// ADP-7: `requirePrincipal(request)` is the principal of a protected route; `request.principal` may be null.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import authTokens, { generateSigningKey, type Principal, requirePrincipal } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyRequest } from 'fastify';
import { Type } from 'typebox';

const app = Fastify();
await app.register(authTokens, {
  store: createMemoryStore(),
  issuer: 'https://example.com',
  signingKey: generateSigningKey(),
});
app.post('/logout', { config: { access: 'admin' } }, async (request) => {
  // @ts-expect-error
  await app.authTokens.revoke(request.principal.sessionId);
  return { ended: await app.authTokens.revoke(requirePrincipal(request).sessionId) };
});
app.get<{ Params: { id: string } }>('/orders/:id', { config: { access: 'admin' } }, async (request) => {
  const { subject } = requirePrincipal(request);
  return { id: request.params.id, owner: subject.toUpperCase(), terminal: request.principal?.terminal };
});
export const plugin: FastifyPluginAsyncTypebox = async (fastify) => {
  const schema = { querystring: Type.Object({ name: Type.String() }) };
  fastify.get('/', { schema, config: { access: 'admin', owner: 5 } }, async (request) => requirePrincipal(request));
};
export const owner = (request: FastifyRequest): Principal => requirePrincipal(request);
// @ts-expect-error
requirePrincipal(app);
