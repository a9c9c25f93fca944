// ADP-7: a wrong `config.bypassEnvelope` does not compile, wherever a route is declared.
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {} from '@sallyport/envelope-crypto';
import Fastify, { type FastifyPluginAsync, type RouteOptions } from 'fastify';
import { Type } from 'typebox';

const app = Fastify();
const handler = async () => ({});

// Shorthand methods.
app.post('/', { config: { bypassEnvelope: true } }, handler);
app.post('/', { config: { bypassEnvelope: false } }, handler);
// @ts-expect-error
app.post('/', { config: { bypassEnvelope: 'yes' } }, handler);
// @ts-expect-error
app.post('/', { config: { bypassEnvelope: 5 } }, handler);
// @ts-expect-error
app.post('/', { config: { bypassEnvelope: null } }, handler);
// @ts-expect-error
app.post('/', { config: { bypassEnvelope: {} } }, handler);
// @ts-expect-error
app.post('/', { config: { bypassEnvelope: [] } }, handler);

// With generics, and with the handler among the options.
app.put<{ Body: { name: string } }>('/', { config: { bypassEnvelope: true } }, async (request) => request.body.name);
// @ts-expect-error
app.put<{ Body: { name: string } }>('/', { config: { bypassEnvelope: 'yes' } }, async (request) => request.body.name);
app.put('/', { config: { bypassEnvelope: true }, handler });
// @ts-expect-error
app.put('/', { config: { bypassEnvelope: 'yes' }, handler });

// app.route.
app.route({ method: 'POST', url: '/', config: { bypassEnvelope: true }, handler });
// @ts-expect-error
app.route({ method: ['POST', 'PUT'], url: '/', config: { bypassEnvelope: 'yes' }, handler });

// Plugins, and a type provider.
const schema = { querystring: Type.Object({ name: Type.String() }) };
export const plugin: FastifyPluginAsync = async (fastify) => {
  fastify.delete('/', { config: { bypassEnvelope: true } }, handler);
  // @ts-expect-error
  fastify.delete('/', { config: { bypassEnvelope: 'yes' } }, handler);
};
export const typeboxPlugin: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.patch('/', { schema, config: { bypassEnvelope: true } }, async (request) => request.query.name);
  // @ts-expect-error
  fastify.patch('/', { schema, config: { bypassEnvelope: 'yes' } }, async (request) => request.query.name);
  const url = '/';
  fastify.route({
    method: 'POST',
    url,
    schema,
    config: { bypassEnvelope: true },
    handler: async ({ query }) => query.name,
  });
  fastify.route({
    method: 'POST',
    url,
    schema,
    // @ts-expect-error
    config: { bypassEnvelope: 'yes' },
    handler: async ({ query }) => query.name,
  });
};
const typed = app.withTypeProvider<TypeBoxTypeProvider>();
typed.post('/', { schema, config: { bypassEnvelope: true } }, async (request) => request.query.name);
// @ts-expect-error
typed.post('/', { schema, config: { bypassEnvelope: 'yes' } }, async (request) => request.query.name);

// Options that are declared on their own.
export const options: RouteOptions = { method: 'POST', url: '/', config: { bypassEnvelope: true }, handler };
app.route(options);
// @ts-expect-error
export const wrongOptions: RouteOptions = { method: 'POST', url: '/', config: { bypassEnvelope: 'yes' }, handler };
const misspelt = { bypassEnvelope: 'yes' } as const;
// @ts-expect-error
app.post('/', { config: misspelt }, handler);
// @ts-expect-error
app.post('/', { config: { ...misspelt } }, handler);

// Decisions that are declared elsewhere, spread, or beside members of the application.
export const decision: boolean = true;
const config = { bypassEnvelope: true } as const;
app.post('/', { config: { bypassEnvelope: decision } }, handler);
app.post('/', { config }, handler);
app.post('/', { config: { ...config, owner: 'orders' } }, async (request) => {
  return request.routeOptions.config.owner.toUpperCase();
});
app.route({ ...options, config: { ...options.config, bypassEnvelope: false } });
