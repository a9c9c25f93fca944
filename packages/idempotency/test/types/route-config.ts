// ADP-7: a wrong `config.idempotency` does not compile, wherever a route is declared.
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { IdempotencyRouteOptions } from '@sallyport/idempotency';
import Fastify, { type FastifyPluginAsync, type RouteOptions } from 'fastify';
import { Type } from 'typebox';

const app = Fastify();
const handler = async () => ({});

// Shorthand methods.
app.post('/', { config: { idempotency: true } }, handler);
app.post('/', { config: { idempotency: false } }, handler);
app.post('/', { config: { idempotency: {} } }, handler);
app.post('/', { config: { idempotency: { required: false } } }, handler);
app.post('/', { config: { idempotency: { transactional: true, content: 'in-handler' } } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: 'yes' } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: 5 } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: null } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: [] } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: () => true } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: { requird: true } } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: { required: true, Transactional: true } } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: { required: 'no' } } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: { content: 'handler' } } }, handler);
// @ts-expect-error
app.post('/', { config: { idempotency: { required: false, keys: [] } } }, handler);

// With generics, and with the handler among the options.
app.put<{ Body: { name: string } }>(
  '/',
  { config: { idempotency: { required: true, transactional: true } } },
  async (request) => request.body.name,
);
app.put<{ Body: { name: string } }>(
  '/',
  // @ts-expect-error
  { config: { idempotency: { required: true, transactionel: true } } },
  async (request) => request.body.name,
);
app.put('/', { config: { idempotency: { required: true, transactional: true } }, handler });
// @ts-expect-error
app.put('/', { config: { idempotency: { required: true, transactionel: true } }, handler });

// app.route.
app.route({ method: 'POST', url: '/', config: { idempotency: { required: true, transactional: true } }, handler });
app.route({
  method: ['POST', 'PUT'],
  url: '/',
  // @ts-expect-error
  config: { idempotency: { required: true, transactionel: true } },
  handler,
});

// Plugins, and a type provider.
const schema = { querystring: Type.Object({ name: Type.String() }) };
export const plugin: FastifyPluginAsync = async (fastify) => {
  fastify.delete('/', { config: { idempotency: { required: true, transactional: true } } }, handler);
  // @ts-expect-error
  fastify.delete('/', { config: { idempotency: { required: true, transactionel: true } } }, handler);
};
export const typeboxPlugin: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.patch(
    '/',
    { schema, config: { idempotency: { required: true, transactional: true } } },
    async (request) => request.query.name,
  );
  fastify.patch(
    '/',
    // @ts-expect-error
    { schema, config: { idempotency: { required: true, transactionel: true } } },
    async (request) => request.query.name,
  );
  const url = '/';
  fastify.route({
    method: 'POST',
    url,
    schema,
    config: { idempotency: { required: true, transactional: true } },
    handler: async ({ query }) => query.name,
  });
  fastify.route({
    method: 'POST',
    url,
    schema,
    // @ts-expect-error
    config: { idempotency: { required: true, transactionel: true } },
    handler: async ({ query }) => query.name,
  });
};
const typed = app.withTypeProvider<TypeBoxTypeProvider>();
typed.post(
  '/',
  { schema, config: { idempotency: { required: true, transactional: true } } },
  async (request) => request.query.name,
);
typed.post(
  '/',
  // @ts-expect-error
  { schema, config: { idempotency: { required: true, transactionel: true } } },
  async (request) => request.query.name,
);

// Options that are declared on their own.
export const options: RouteOptions = {
  method: 'POST',
  url: '/',
  config: { idempotency: { required: true, transactional: true } },
  handler,
};
app.route(options);
export const wrongOptions: RouteOptions = {
  method: 'POST',
  url: '/',
  // @ts-expect-error
  config: { idempotency: { required: true, transactionel: true } },
  handler,
};
const misspelt = { idempotency: { required: true, transactionel: true } } as const;
// @ts-expect-error
app.post('/', { config: misspelt }, handler);
// @ts-expect-error
app.post('/', { config: { ...misspelt } }, handler);

// Decisions that are declared elsewhere, spread, or beside members of the application.
export const decision: IdempotencyRouteOptions = { transactional: true, content: 'in-handler' };
const config = { idempotency: { required: false, content: 'in-handler' } } as const;
app.post('/', { config: { idempotency: decision } }, handler);
app.post('/', { config }, handler);
app.post('/', { config: { ...config, owner: 'orders' } }, async (request) => {
  return request.routeOptions.config.owner.toUpperCase();
});
app.route({ ...options, config: { ...options.config, idempotency: true } });
