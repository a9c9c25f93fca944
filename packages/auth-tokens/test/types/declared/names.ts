// ADP-7: with `DeclaredNames`, a misspelt audience or permission does not compile. A program of its own, since the
// declaration holds for all files that are compiled together.
import authTokens, { generateSigningKey, requirePrincipal } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyPluginAsync, type RouteOptions } from 'fastify';

const permissions = ['api:orders:list', 'api:orders:read'] as const;

declare module '@sallyport/auth-tokens' {
  interface DeclaredNames {
    audience: 'admin' | 'app';
    permission: (typeof permissions)[number];
  }
}

const app = Fastify();
const handler = async () => ({});
await app.register(authTokens, {
  store: createMemoryStore(),
  issuer: 'https://example.com',
  signingKey: generateSigningKey(),
  permissions,
  loadPermissions: () => ['api:orders:*'],
});

app.get('/', { config: { access: 'public' } }, handler);
app.get('/', { config: { access: 'admin', permission: 'api:orders:list' } }, handler);
app.get('/', { config: { access: ['admin', 'app'], permission: ['api:orders:list', 'api:orders:read'] } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'amdin' } }, handler);
// @ts-expect-error
app.get('/', { config: { access: ['admin', 'apps'] } }, handler);
// @ts-expect-error
app.get('/', { config: { access: ['public'] } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: 'api:orders:lists' } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: ['api:orders:list', 'api:orders'] } }, handler);
app.route({ method: 'GET', url: '/', config: { access: 'app' }, handler });
// @ts-expect-error
app.route({ method: 'GET', url: '/', config: { access: 'ap' }, handler });
export const plugin: FastifyPluginAsync = async (fastify) => {
  fastify.get('/', { config: { access: 'app' } }, handler);
  // @ts-expect-error
  fastify.get('/', { config: { access: 'ap' } }, handler);
};
// @ts-expect-error
export const options: RouteOptions = { method: 'GET', url: '/', config: { access: 'ap' }, handler };

const config = { access: 'admin' as const, permission: 'api:orders:read' as const };
app.get('/', { config }, async (request) => {
  // @ts-expect-error
  await request.hasPermission('api:orders:raed');
  return { subject: requirePrincipal(request).subject, lists: await request.hasPermission('api:orders:list') };
});
