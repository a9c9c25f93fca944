// ADP-7: a wrong `config.audit` does not compile, wherever a route is declared.
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { AuditLogOptions, RouteAudit, RouteAuditDecision } from '@sallyport/audit-log';
import Fastify, { type FastifyContextConfig, type FastifyPluginAsync, type RouteOptions } from 'fastify';
import { Type } from 'typebox';

const app = Fastify();
const handler = async () => ({});

// Shorthand methods.
app.post('/', { config: { audit: 'payment' } }, handler);
app.post('/', { config: { audit: false } }, handler);
app.post('/', { config: { audit: { action: 'session.end' } } }, handler);
app.post(
  '/',
  { config: { audit: { resource: 'file', required: 'after-reply', changes: 'nothing', parameters: false } } },
  handler,
);
// @ts-expect-error
app.post('/', { config: { audit: 5 } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: true } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: null } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: {} } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: [] } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: () => 'payment' } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { acton: 'session.end' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { action: 'session.end', resource: 'session' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { action: 'session.end', require: 'after-reply' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { action: 'session.end', requierd: 'after-reply' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { resource: 'file', Parameters: false } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { resource: 'file', changes: 'in-handlers' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { resource: 'file', parameters: 'no' } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { action: 5 } } }, handler);

// With generics, and with the handler among the options.
app.put<{ Body: { name: string } }>(
  '/',
  { config: { audit: { action: 'session.end', required: 'after-reply' } } },
  async (request) => request.body.name,
);
app.put<{ Body: { name: string } }>(
  '/',
  // @ts-expect-error
  { config: { audit: { action: 'session.end', requierd: 'after-reply' } } },
  async (request) => request.body.name,
);
app.put('/', { config: { audit: { action: 'session.end', required: 'after-reply' } }, handler });
// @ts-expect-error
app.put('/', { config: { audit: { action: 'session.end', requierd: 'after-reply' } }, handler });

// app.route.
app.route({ method: 'POST', url: '/', config: { audit: { action: 'session.end', required: 'after-reply' } }, handler });
app.route({
  method: ['POST', 'PUT'],
  url: '/',
  // @ts-expect-error
  config: { audit: { action: 'session.end', requierd: 'after-reply' } },
  handler,
});

// Plugins, and a type provider.
const schema = { querystring: Type.Object({ name: Type.String() }) };
export const plugin: FastifyPluginAsync = async (fastify) => {
  fastify.delete('/', { config: { audit: { action: 'session.end', required: 'after-reply' } } }, handler);
  // @ts-expect-error
  fastify.delete('/', { config: { audit: { action: 'session.end', requierd: 'after-reply' } } }, handler);
};
export const typeboxPlugin: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.patch(
    '/',
    { schema, config: { audit: { action: 'session.end', required: 'after-reply' } } },
    async (request) => request.query.name,
  );
  fastify.patch(
    '/',
    // @ts-expect-error
    { schema, config: { audit: { action: 'session.end', requierd: 'after-reply' } } },
    async (request) => request.query.name,
  );
  const url = '/';
  fastify.route({
    method: 'POST',
    url,
    schema,
    config: { audit: { action: 'session.end', required: 'after-reply' } },
    handler: async ({ query }) => query.name,
  });
  fastify.route({
    method: 'POST',
    url,
    schema,
    // @ts-expect-error
    config: { audit: { action: 'session.end', requierd: 'after-reply' } },
    handler: async ({ query }) => query.name,
  });
};
const typed = app.withTypeProvider<TypeBoxTypeProvider>();
typed.post(
  '/',
  { schema, config: { audit: { action: 'session.end', required: 'after-reply' } } },
  async (request) => request.query.name,
);
typed.post(
  '/',
  // @ts-expect-error
  { schema, config: { audit: { action: 'session.end', requierd: 'after-reply' } } },
  async (request) => request.query.name,
);

// Options that are declared on their own.
export const options: RouteOptions = {
  method: 'POST',
  url: '/',
  config: { audit: { action: 'session.end', required: 'after-reply' } },
  handler,
};
app.route(options);
export const wrongOptions: RouteOptions = {
  method: 'POST',
  url: '/',
  // @ts-expect-error
  config: { audit: { action: 'session.end', requierd: 'after-reply' } },
  handler,
};
const misspelt = { audit: { action: 'session.end', requierd: 'after-reply' } } as const;
// @ts-expect-error
app.post('/', { config: misspelt }, handler);
// @ts-expect-error
app.post('/', { config: { ...misspelt } }, handler);

// Decisions that are declared elsewhere, spread, or beside members of the application.
export const decision: RouteAudit = { resource: 'payment', changes: 'in-handler' };
const config = { audit: { resource: 'payment', changes: 'in-handler' } } as const;
app.post('/', { config: { audit: decision } }, handler);
app.post('/', { config }, handler);
app.post('/', { config: { ...config, owner: 'orders' } }, async (request) => {
  return request.routeOptions.config.owner.toUpperCase();
});
app.route({ ...options, config: { ...options.config, audit: 'session' } });

// Choices, copies, wrappers and hooks.
interface OwnDecision {
  action: string;
  parameters: boolean;
}
const own: OwnDecision = { action: 'session.end', parameters: false };
app.post('/', { config: { audit: own } }, handler);
app.post('/', { config: { audit: { ...own, changes: 'nothing' } } }, handler);
app.post('/', { config: { audit: process.env.AUDIT ? { action: 'session.end', parameters: false } : false } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: process.env.AUDIT ? { action: 'session.end', parmeters: false } : false } }, handler);
const whole: RouteAuditDecision = { resource: 'payment', required: 'before-reply' };
app.post('/', { config: { audit: { ...whole, parameters: false } } }, handler);
// @ts-expect-error
app.post('/', { config: { audit: { ...whole, parmeters: false } } }, handler);
app.post('/', { config: { audit: { action: 'session.end', parameters: false } satisfies RouteAudit } }, handler);
export const wrapped = <Config extends FastifyContextConfig>(config: Config) => app.post('/', { config }, handler);
wrapped({ audit: 'payment', owner: 'orders' });
app.addHook('onRoute', (route) => {
  route.config = { ...route.config, audit: route.config?.audit ?? 'payment' };
});

// Decisions of `decide`.
export const decide: AuditLogOptions['decide'] = ({ url }) => (url === '/docs' ? 'documentation' : undefined);
// @ts-expect-error
export const wrongDecide: AuditLogOptions['decide'] = () => 5;
// @ts-expect-error
export const misspeltDecide: AuditLogOptions['decide'] = () => ({ acton: 'session.end' });
