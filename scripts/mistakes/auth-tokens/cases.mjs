import { equal, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

/** Whether nobody without a token is served. */
const isClosed =
  (target = 'GET /salaries', code = 'TOKEN_MISSING') =>
  async ({ ask }) => {
    const { status, json } = await ask(target);
    equal(status, 401);
    equal(json.code, code);
  };

async function signIn({ ask }) {
  const { json } = await ask('POST /login');
  return { authorization: `Bearer ${json.token}` };
}

const CLOSED = '401 without a token';

export const cases = [
  refused(
    'a file of @fastify/autoload without fastify-plugin',
    'autoloaded/server.mjs unwrapped',
    /auth-tokens: .*'auth'/,
    /Wrap that plugin in fastify-plugin/,
  ),
  refused(
    "the same file with scope: 'encapsulated', and routes in other files",
    'autoloaded/server.mjs encapsulated',
    /GET \/users/,
    /register it on the root instance, or in the scope of this route as well/,
  ),
  works(
    'a file of @fastify/autoload, wrapped by fastify-plugin 4',
    'autoloaded/server.mjs wrapped',
    CLOSED,
    isClosed('GET /users'),
  ),
  works(
    'a file of @fastify/autoload with autoConfig',
    'autoloaded/server.mjs auto-config',
    CLOSED,
    isClosed('GET /users'),
  ),
  refused(
    'two files of @fastify/autoload register it',
    'autoloaded/server.mjs twice',
    /auth-tokens/,
    /remove one registration/,
  ),
  refused(
    'registered without await, followed by a route',
    'without-await.mjs',
    /GET \/salaries/,
    /await app\.register/,
  ),
  works(
    'registered without await, followed by plugins',
    'without-await-plugins.mjs',
    CLOSED,
    isClosed('GET /api/salaries'),
  ),
  refused(
    'registered after the routes, as NestJS does',
    'routes-first.mjs',
    /GET \/salaries/,
    /register it before every route/,
  ),
  works('registered after the routes, with allowEarlierRoutes', 'allowed-earlier.mjs', CLOSED, async (server) => {
    await isClosed()(server);
    await isClosed('GET /undecided')(server);
  }),
  refused('registered in onReady', 'when-ready.mjs', /fastify-plugin/, /already booted/),
  refused(
    'registered in a child scope, with routes outside',
    'child-scope.mjs',
    /auth-tokens/,
    /scope: 'encapsulated'/,
  ),
  refused(
    'a protected route outside of the encapsulated scope',
    'part.mjs later',
    /GET \/salaries/,
    /register it on the root instance, or in the scope of this route as well/,
  ),
  works(
    'a protected route outside of the encapsulated scope, registered before the plugin',
    'part.mjs earlier',
    'each request to it is refused, and the answer says why',
    async ({ ask }) => {
      const { status, json } = await ask('GET /salaries');
      equal(status, 500);
      match(json.message, /GET \/salaries: its config asks for the plugin, which is registered in another scope/);
    },
    { answers500: 'Fastify shows the config of older routes by requests only' },
  ),
  refused('@fastify/swagger-ui without decide', 'documented.mjs docs', /GET \/docs/, /option decide/),
  works('@fastify/swagger-ui with decide', 'documented.mjs docs decide', CLOSED, isClosed('GET /docs/json')),
  refused('@fastify/static without decide', 'documented.mjs static', /GET \/assets\/\*/, /option decide/),
  works('@fastify/static with decide', 'documented.mjs static decide', CLOSED, async (server) => {
    equal((await server.ask('GET /assets/documented.mjs')).status, 200);
    await isClosed()(server);
  }),
  refused('a health check without an access', 'undecided.mjs', /GET \/health/, /give 'public', or who may call it/),
  refused(
    "access: 'Admin'",
    'config.mjs another-case',
    /GET \/salaries: config\.access names 'Admin'/,
    /'admin', 'app'/,
  ),
  refused('access: true', 'config.mjs true', /GET \/salaries: config\.access names 'true'/, /'admin', 'app'/),
  refused("acces: 'admin'", 'config.mjs misspelt', /GET \/salaries: config\.access is missing/, /give 'public'/),
  refused('access: []', 'config.mjs empty-list', /GET \/salaries: config\.access/, /empty list/),
  refused(
    "access: ['public', 'admin']",
    'config.mjs public-in-list',
    /GET \/salaries: config\.access/,
    /'public' \(alone\)/,
  ),
  refused('an access that is a role', 'config.mjs role', /names 'manager'/, /'admin', 'app'/),
  refused("permission: 'api:*'", 'config.mjs wildcard', /GET \/salaries: config\.permission 'api:\*'/, /only grants/),
  refused(
    'permissions in place of permission',
    'config.mjs plural',
    /GET \/salaries: config\.permissions is not known/,
    /did you mean config\.permission\?/,
  ),
  refused(
    'an undeclared permission',
    'config.mjs undeclared',
    /config\.permission 'api:salaries:list'/,
    /option permissions/,
  ),
  refused('decide throws', 'decided.mjs throws', /GET \/salaries/, /option decide throws: no table of routes/),
  refused('decide returns a promise', 'decided.mjs promise', /GET \/salaries/, /decide.*promise/),
  refused("decide returns 'yes'", 'decided.mjs garbage', /GET \/salaries/, /names 'yes', which is not one of 'public'/),
  refused('decide returns 1', 'decided.mjs number', /GET \/salaries/, /names '1', which is not one of 'public'/),
  refused('decide returns { acess }', 'decided.mjs misspelt', /GET \/salaries/, /'?acess'?.*access/),
  refused('decide returns no access', 'decided.mjs without-access', /GET \/salaries/, /config\.access is missing/),
  works('app.all, lists of methods, constraints, prefixes with a slash', 'many-methods.mjs', CLOSED, async (server) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) await isClosed(`${method} /all`)(server);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) await isClosed(`${method} /many`)(server);
    for (const path of ['/lower', '/slash/', '/slash/deep/er']) await isClosed(`GET ${path}`)(server);
    for (const path of ['/all', '/lower', '/slash/']) equal((await server.ask(`HEAD ${path}`)).status, 401);
    equal((await server.ask('GET /versions', { headers: { 'accept-version': '2.0.0' } })).status, 401);
    equal((await server.ask('GET /hosts')).text, 'hello');
  }),
  works('HEAD routes of its own, lax URLs', 'no-head-routes.mjs', CLOSED, async (server) => {
    equal((await server.ask('HEAD /salaries')).status, 401);
    for (const path of ['/salaries/', '/SALARIES', '/%73alaries']) await isClosed(`GET ${path}`)(server);
  }),
  works('setNotFoundHandler serves every unknown path', 'not-found.mjs', CLOSED, async (server) => {
    await isClosed('GET /unknown')(server);
    await isClosed()(server);
  }),
  works('an error handler that answers 200', 'error-handler.mjs', 'the handler does not run', async ({ ask }) => {
    const { json } = await ask('GET /salaries');
    equal(json.success, false);
  }),
  refused(
    'an onRoute hook that was added later publishes routes',
    'on-route.mjs after',
    /GET \/salaries/,
    /add that hook before the plugin/,
  ),
  refused(
    'an onRoute hook that was added later replaces config',
    'on-route.mjs after lost',
    /GET \/salaries/,
    /add that hook before the plugin/,
  ),
  refused(
    'an onRoute hook that was added earlier replaces config',
    'on-route.mjs before lost',
    /GET \/salaries/,
    /config\.access is missing/,
  ),
  refused('registered twice, once in a child scope', 'twice.mjs', /auth-tokens/, /remove one registration/),
  ...['rejects', 'nothing', 'object', 'text'].map((how) =>
    works(`loadPermissions: ${how}`, `permissions.mjs ${how}`, '503, nobody is let in', async (server) => {
      const { status, json } = await server.ask('GET /salaries', { headers: await signIn(server) });
      equal(status, 503);
      equal(json.code, 'PERMISSIONS_UNAVAILABLE');
    }),
  ),
  refused('the signing key is a text', 'secret.mjs text', /signingKey/, /algorithm/),
  refused('the secret is short', 'secret.mjs short', /signingKey/, /32 bytes/),
  refused('the secret is a sample', 'secret.mjs sample', /signingKey/, /openssl rand/),
  refused(
    'the variable of the secret is unset',
    'secret.mjs unset',
    /signingKey/,
    /secret|32 bytes|generateSigningKey/,
  ),
  refused(
    'the options of @fastify/jwt',
    'options-of-others.mjs',
    /secret.*sign|unknown/,
    /unknown|known options|not an option/,
  ),
  refused('a misspelt option', 'misspelt-option.mjs', /permisions/, /permissions/),
  refused('no options', 'no-options.mjs', /store.*issuer.*signingKey/s, /required|missing/),
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/auth-tokens/, /expected '5\.x' fastify version/),
  works('require() of the package', 'required.cjs', CLOSED, isClosed()),
  works('require() of the package, .default', 'required.cjs default', CLOSED, isClosed()),
  ...['before', 'after'].map((when) =>
    works(
      `@fastify/jwt registered ${when} it`,
      `beside-jwt.mjs ${when}`,
      'its tokens are none of ours',
      async (server) => {
        const { json } = await server.ask('POST /old-login');
        const headers = { authorization: `Bearer ${json.token}` };
        equal((await server.ask('GET /salaries', { headers })).json.code, 'TOKEN_INVALID');
      },
    ),
  ),
  refused(
    'request.principal is decorated by the team',
    'own-principal.mjs',
    /auth-tokens: request\.principal exists already/,
    /another name/,
  ),
  works('a hook of the team sets request.principal', 'forged-principal.mjs', CLOSED, isClosed()),
  ...['before', 'after'].map((when) =>
    works(
      `@fastify/cors registered ${when} it`,
      `cors.mjs ${when}`,
      'preflights pass, requests need a token',
      async (server) => {
        const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
        equal((await server.ask('OPTIONS /salaries', { headers })).status, 204);
        await isClosed()(server);
      },
    ),
  ),
  works('@fastify/rate-limit registered after it', 'rate-limit.mjs', CLOSED, async (server) => {
    for (let count = 0; count < 4; count++) await isClosed()(server);
  }),
  works('the client of the store is closed', 'away-store.mjs', '503, nobody is let in', async ({ ask }) => {
    equal((await ask('POST /login')).status, 503);
    await isClosed()({ ask });
  }),
  refused('the store of the sessions as ends', 'ends.mjs same', /auth-tokens: .*ends/, /lost together with it/),
  refused('a memory store as ends of sessions in Redis', 'ends.mjs memory', /auth-tokens: .*ends/, /use a shared one/),
  refused('ends without write', 'ends.mjs misspelt', /auth-tokens: .*ends/, /an object with write/),
  works(
    'a memory store in each process of a cluster',
    'cluster.mjs',
    'a token of another process is refused',
    async (server) => {
      await server.prints(/UP[\s\S]*UP/);
      const headers = { ...(await signIn(server)), connection: 'close' };
      const statuses = [];
      for (let count = 0; count < 4; count++) statuses.push((await server.ask('GET /salaries', { headers })).status);
      match(statuses.join(), /401/);
    },
    { alone: true },
  ),
  works('inject() before ready()', 'injected.mjs', CLOSED, isClosed()),
];
