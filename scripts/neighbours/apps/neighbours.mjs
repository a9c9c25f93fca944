// What applications combine with the packages. Each mounts one operation, a payment, as its documentation shows it, and
// says how a client asks for it. `config` is what a package wants of the route; `run` makes the payment.
import http2 from 'node:http2';
import httpProxy from '@fastify/http-proxy';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import { initTRPC } from '@trpc/server';
import { fastifyRequestHandler, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import mercurius from 'mercurius';
import { Type } from 'typebox';
import { WebSocket } from 'ws';
import { z } from 'zod';

const create = (options) => Fastify(options);
const post = { method: 'POST', path: '/pay', body: { amount: '12.50' } };
const get = { method: 'GET', path: '/pay' };

/** A route that answers by `reply.send`. */
const mountRoute = (app, { config, run, schema }) =>
  app.post('/pay', { config, ...(schema && { schema }) }, async (request) => ({ done: await run(request) }));

/** The answer of HTTP/2, as `fetch` gives it. */
async function fetchByHttp2(input, init) {
  const request = new Request(input, init);
  const { origin, pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const session = http2.connect(origin);
  try {
    const stream = session.request({
      ...Object.fromEntries(request.headers),
      ':method': request.method,
      ':path': pathname + search,
    });
    // A request without a body has ended.
    if (request.method !== 'GET') stream.end(body);
    const head = await new Promise((resolve, reject) => stream.on('response', resolve).on('error', reject));
    const parts = await stream.toArray();
    const headers = Object.entries(head).filter(([name]) => !name.startsWith(':'));
    return new Response(Buffer.concat(parts), { status: head[':status'], headers });
  } finally {
    session.close();
  }
}

/** The first message of a WebSocket, or the answer that refuses it. What is no route of it is asked as ever. */
async function fetchByWebSocket(input, init) {
  const request = new Request(input, init);
  if (new URL(request.url).pathname !== '/pay') return fetch(request);
  const socket = new WebSocket(request.url.replace(/^http/, 'ws'), { headers: Object.fromEntries(request.headers) });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => {
      resolve(new Response(String(data), { status: 200 }));
      socket.close();
    });
    socket.on('close', (code, reason) => resolve(new Response(`closed: ${code} ${reason}`, { status: 200 })));
    socket.on('unexpected-response', (_request, response) => {
      response.toArray().then((parts) => {
        const { statusCode, headers } = response;
        resolve(new Response(Buffer.concat(parts), { status: statusCode, headers: Object.entries(headers) }));
      }, reject);
    });
  });
}

const graphql = {
  schema: 'type Query { state: String } type Mutation { pay: String }',
  resolversOf: (run) => ({ Mutation: { pay: (_root, _input, { reply }) => run(reply.request) } }),
};

/** GraphQL has a place for codes, which mercurius leaves empty. */
function withCodes(execution, context) {
  const { statusCode, response } = mercurius.defaultErrorFormatter(execution, context);
  for (const [index, shown] of response.errors.entries()) {
    const error = execution.errors[index];
    const code = error.originalError?.code ?? error.code;
    if (code !== undefined) shown.extensions = { ...shown.extensions, code };
  }
  return { statusCode, response };
}

const trpcRouter = (run) => {
  const { router, procedure } = initTRPC.context().create();
  return router({ pay: procedure.mutation(async ({ ctx }) => run(ctx.req)) });
};
const createContext = ({ req }) => ({ req });

/** What others answer with, from which the proxy fetches. */
async function startUpstream(run) {
  const upstream = Fastify();
  upstream.post('/pay', async (request) => ({ done: await run(request) }));
  await upstream.listen({ host: '127.0.0.1', port: 0 });
  return upstream;
}

async function mountProxy(app, { config, run }, options = {}) {
  const upstream = await startUpstream(run);
  app.addHook('onClose', () => upstream.close());
  await app.register(httpProxy, {
    upstream: `http://127.0.0.1:${upstream.server.address().port}`,
    prefix: '/payments',
    config,
    replyOptions: {
      rewriteRequestHeaders: ({ clientIp }, headers) => ({ ...headers, ...(clientIp && { 'x-client-ip': clientIp }) }),
    },
    ...options,
  });
}

export const neighbours = {
  route: { create, request: post, mount: mountRoute },
  zod: {
    create,
    request: post,
    before(app) {
      app.setValidatorCompiler(validatorCompiler);
      app.setSerializerCompiler(serializerCompiler);
    },
    mount(app, operation) {
      const schema = { body: z.object({ amount: z.string() }), response: { 200: z.object({ done: z.string() }) } };
      mountRoute(app, { ...operation, schema });
    },
  },
  typebox: {
    create,
    request: post,
    before: (app) => void app.setValidatorCompiler(TypeBoxValidatorCompiler),
    mount(app, operation) {
      const [body, done] = [Type.Object({ amount: Type.String() }), Type.Object({ done: Type.String() })];
      mountRoute(app, { ...operation, schema: { body, response: { 200: done } } });
    },
  },
  trpc: {
    create,
    request: { ...post, path: '/trpc/pay' },
    // Its routes take no `config`: a hook that was added before the packages gives it.
    before(app, config) {
      app.addHook('onRoute', (route) => {
        if (route.url.startsWith('/trpc/')) route.config = { ...route.config, ...config };
      });
    },
    async mount(app, { run }) {
      const trpcOptions = { router: trpcRouter(run), createContext };
      await app.register(fastifyTRPCPlugin, { prefix: '/trpc', trpcOptions });
    },
  },
  'trpc-own-route': {
    create,
    request: { ...post, path: '/trpc/pay' },
    mount(app, { config, run }) {
      const router = trpcRouter(run);
      app.post('/trpc/:path', { config }, (req, res) =>
        fastifyRequestHandler({ router, createContext, req, res, path: req.params.path }),
      );
    },
  },
  mercurius: {
    create,
    request: { ...post, path: '/graphql', body: { query: 'mutation { pay }' } },
    async mount(app, { config, run }) {
      await app.register(mercurius, {
        schema: graphql.schema,
        resolvers: graphql.resolversOf(run),
        additionalRouteOptions: { config },
        errorFormatter: withCodes,
      });
    },
  },
  'mercurius-own-route': {
    create,
    request: { ...post, path: '/graphql', body: { query: 'mutation { pay }' } },
    async mount(app, { config, run }) {
      await app.register(mercurius, { schema: graphql.schema, resolvers: graphql.resolversOf(run), routes: false });
      app.post('/graphql', { config }, (request, reply) => reply.graphql(request.body.query));
    },
  },
  'http-proxy': {
    create,
    request: { ...post, path: '/payments/pay' },
    mount: (app, operation) => mountProxy(app, operation),
  },
  'http-proxy-post': {
    create,
    request: { ...post, path: '/payments/pay' },
    mount: (app, operation) => mountProxy(app, operation, { httpMethods: ['POST'] }),
  },
  websocket: {
    create,
    request: get,
    fetch: fetchByWebSocket,
    before: (app) => app.register(websocket),
    mount(app, { config, run }) {
      app.get('/pay', { websocket: true, config }, async (socket, request) => {
        try {
          socket.send(await run(request));
        } catch (error) {
          socket.close(1011, error.code);
        }
      });
    },
  },
  events: {
    create,
    request: get,
    mount(app, { config, run }) {
      app.get('/pay', { config }, async (request, reply) => {
        const done = await run(request);
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.raw.write(`data: ${done}\n\n`);
        reply.raw.end();
      });
    },
  },
  hijack: {
    create,
    request: post,
    mount(app, { config, run }) {
      app.post('/pay', { config }, async (request, reply) => {
        const done = await run(request);
        reply.hijack();
        reply.raw.writeHead(201, { 'content-type': 'application/json' });
        reply.raw.end(JSON.stringify({ done }));
      });
    },
  },
  http2: {
    create: (options) => create({ ...options, http2: true }),
    request: post,
    fetch: fetchByHttp2,
    mount: mountRoute,
  },
};
