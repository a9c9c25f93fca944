// ADP-7: a wrong `config.access` does not compile, wherever a route is declared.
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Audience, AuthTokensOptions } from '@sallyport/auth-tokens';
import Fastify, { type FastifyPluginAsync, type RouteOptions } from 'fastify';
import { Type } from 'typebox';

const app = Fastify();
const handler = async () => ({});

// Shorthand methods.
app.post('/', { config: { access: 'public' } }, handler);
app.post('/', { config: { access: 'admin' } }, handler);
app.post('/', { config: { access: ['admin', 'app'] } }, handler);
// @ts-expect-error
app.post('/', { config: { access: 5 } }, handler);
// @ts-expect-error
app.post('/', { config: { access: true } }, handler);
// @ts-expect-error
app.post('/', { config: { access: null } }, handler);
// @ts-expect-error
app.post('/', { config: { access: { admin: true } } }, handler);
// @ts-expect-error
app.post('/', { config: { access: ['admin', 5] } }, handler);
// @ts-expect-error
app.post('/', { config: { access: () => 'admin' } }, handler);
app.get('/', { config: { access: 'admin', permission: 'api:orders:list', queryToken: true } }, handler);
app.get('/', { config: { access: 'admin', permission: ['api:orders:list', 'api:orders:read'] } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: 5 } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: { code: 'api:orders:list' } } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: ['api:orders:list', 5] } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', permission: true } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', queryToken: 'yes' } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', queryToken: 1 } }, handler);
// @ts-expect-error
app.get('/', { config: { access: 'admin', queryToken: {} } }, handler);

// With generics, and with the handler among the options.
app.put<{ Body: { name: string } }>('/', { config: { access: ['admin'] } }, async (request) => request.body.name);
app.put<{ Body: { name: string } }>(
  '/',
  // @ts-expect-error
  { config: { access: { audience: 'admin' } } },
  async (request) => request.body.name,
);
app.put('/', { config: { access: ['admin'] }, handler });
// @ts-expect-error
app.put('/', { config: { access: { audience: 'admin' } }, handler });

// app.route.
app.route({ method: 'POST', url: '/', config: { access: ['admin'] }, handler });
// @ts-expect-error
app.route({ method: ['POST', 'PUT'], url: '/', config: { access: { audience: 'admin' } }, handler });

// Plugins, and a type provider.
const schema = { querystring: Type.Object({ name: Type.String() }) };
export const plugin: FastifyPluginAsync = async (fastify) => {
  fastify.delete('/', { config: { access: ['admin'] } }, handler);
  // @ts-expect-error
  fastify.delete('/', { config: { access: { audience: 'admin' } } }, handler);
};
export const typeboxPlugin: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.patch('/', { schema, config: { access: ['admin'] } }, async (request) => request.query.name);
  // @ts-expect-error
  fastify.patch('/', { schema, config: { access: { audience: 'admin' } } }, async (request) => request.query.name);
  const url = '/';
  fastify.route({
    method: 'POST',
    url,
    schema,
    config: { access: ['admin'] },
    handler: async ({ query }) => query.name,
  });
  fastify.route({
    method: 'POST',
    url,
    schema,
    // @ts-expect-error
    config: { access: { audience: 'admin' } },
    handler: async ({ query }) => query.name,
  });
};
const typed = app.withTypeProvider<TypeBoxTypeProvider>();
typed.post('/', { schema, config: { access: ['admin'] } }, async (request) => request.query.name);
// @ts-expect-error
typed.post('/', { schema, config: { access: { audience: 'admin' } } }, async (request) => request.query.name);

// Options that are declared on their own.
export const options: RouteOptions = { method: 'POST', url: '/', config: { access: ['admin'] }, handler };
app.route(options);
export const wrongOptions: RouteOptions = {
  method: 'POST',
  url: '/',
  // @ts-expect-error
  config: { access: { audience: 'admin' } },
  handler,
};
const misspelt = { access: { audience: 'admin' } } as const;
// @ts-expect-error
app.post('/', { config: misspelt }, handler);
// @ts-expect-error
app.post('/', { config: { ...misspelt } }, handler);

// Decisions that are declared elsewhere, spread, or beside members of the application.
export const decision: readonly Audience[] = ['admin'];
const config = { access: ['admin', 'app'] } as const;
app.post('/', { config: { access: decision } }, handler);
app.post('/', { config }, handler);
app.post('/', { config: { ...config, owner: 'orders' } }, async (request) => {
  return request.routeOptions.config.owner.toUpperCase();
});
app.route({ ...options, config: { ...options.config, access: 'public' } });

// Decisions of `decide`.
const permission = 'api:orders:list';
export const decide: AuthTokensOptions['decide'] = ({ url }) => {
  if (url === '/docs') return { access: ['admin'], permission };
  return url === '/health' ? 'public' : undefined;
};
// @ts-expect-error
export const wrongDecide: AuthTokensOptions['decide'] = () => 5;
// @ts-expect-error
export const misspeltDecide: AuthTokensOptions['decide'] = () => ({ acess: 'admin', permission });
