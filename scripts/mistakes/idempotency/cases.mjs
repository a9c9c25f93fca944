import { equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { refused, works } from '../expectations.mjs';

const body = { amount: 5 };

/** How often handlers have run until the application has ended. Each of them says so. */
async function ranTimes({ prints, printed }, times) {
  await prints(new RegExp(`(?:PAID[^]*){${times}}`));
  await sleep(100); // for one that would follow
  equal((await printed()).split('PAID').length - 1, times);
}

/** Whether a retry is answered without the handler. */
const answersRetry =
  (target = 'POST /payments', { headers: more = {}, answers = 409, content = () => body } = {}) =>
  async (server) => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key, ...more };
    await server.ask(target, { headers, body: content() });
    const retry = await server.ask(target, { headers, body: content() });
    equal(retry.status, answers);
  };

/** Whether a retry does not run again. */
const runsOnce =
  (...given) =>
  async (server) => {
    await answersRetry(...given)(server);
    await ranTimes(server, 1);
  };

/** Whether the handler doesn't run, and the answer says why. */
const runsNever = (message) => async (server) => {
  for (const user of ['ada', 'bob']) {
    const headers = { 'idempotency-key': 'c9bf9e57-1685-4c89-bafb-ff5af830be8a', 'x-user': user };
    const { status, json } = await server.ask('POST /payments', { headers, body });
    equal(status, 500);
    match(json.message, message);
  }
  await ranTimes(server, 0);
};

const ONCE = 'a retry does not run again';
const BY_REQUESTS = { answers500: 'only a request shows what principalOf returns (ADP-5)' };

export const cases = [
  refused(
    'a file of @fastify/autoload without fastify-plugin',
    'autoloaded/server.mjs unwrapped',
    /idempotency: .*'writes'/,
    /Wrap that plugin in fastify-plugin/,
  ),
  works('a file of @fastify/autoload with autoConfig', 'autoloaded/server.mjs auto-config', ONCE, runsOnce()),
  refused(
    'registered without await, followed by a route',
    'without-await.mjs',
    /POST \/payments/,
    /await app\.register/,
  ),
  works('registered without await, followed by plugins', 'without-await-plugins.mjs', ONCE, runsOnce()),
  refused(
    'registered in a child scope, with routes outside',
    'child-scope.mjs',
    /idempotency/,
    /scope: 'encapsulated'/,
  ),
  refused(
    'a route outside of the encapsulated scope opts in',
    'part.mjs later',
    /POST \/payments/,
    /register it on the root instance, or in the scope of this route as well/,
  ),
  works(
    'a route outside of the encapsulated scope opts in, registered before the plugin',
    'part.mjs earlier',
    'each request to it is refused, and the answer says why',
    runsNever(/POST \/payments: .*registered in another scope/),
    { answers500: 'Fastify shows the config of older routes by requests only' },
  ),
  ...['undefined', 'empty', 'promise', 'object', 'number'].map((what) =>
    works(
      `principalOf returns: ${what}`,
      `principal.mjs ${what}`,
      'the handler does not run, the answer names principalOf',
      runsNever(/principalOf/),
      BY_REQUESTS,
    ),
  ),
  works(
    'principalOf returns null on a route that needs a sign-in',
    'principal.mjs null',
    'the handler does not run, the answer names principalOf',
    runsNever(/principalOf/),
    BY_REQUESTS,
  ),
  works(
    'request.principal has a shape of its own',
    'own-principal.mjs',
    'the handler does not run, the answer names principalOf',
    runsNever(/principalOf/),
    BY_REQUESTS,
  ),
  refused('no principalOf, and no authentication', 'nobody.mjs', /idempotency/, /principalOf is required/),
  refused("idempotency: 'yes'", 'config.mjs yes', /POST \/payments: config\.idempotency/, /true/),
  refused('idempotency: 1', 'config.mjs number', /POST \/payments: config\.idempotency/, /true/),
  refused('idempotency: null', 'config.mjs null', /POST \/payments: config\.idempotency/, /true/),
  refused(
    'idempotency: { require }',
    'config.mjs misspelt',
    /POST \/payments: config\.idempotency/,
    /require .*did you mean .*required/,
  ),
  refused("idempotency: { required: 'no' }", 'config.mjs value', /config\.idempotency\.required/, /true or false/),
  refused(
    'transactional with a memory store',
    'config.mjs transactional',
    /POST \/payments: /,
    /PostgreSQL|createPostgresIdempotencyStore/,
  ),
  refused(
    'idempotent: true',
    'misspelt-member.mjs',
    /POST \/payments.*config\.idempotent/,
    /did you mean .*idempotency/,
  ),
  refused(
    'a GET route opts in',
    'reads.mjs',
    /GET \/payments: config\.idempotency/,
    /give the methods that read a route of their own/,
  ),
  refused(
    'app.all opts in',
    'all.mjs',
    /\/payments: config\.idempotency/,
    /give the methods that read a route of their own/,
  ),
  works('lists of methods, constraints, prefixes with a slash', 'many-methods.mjs', ONCE, async (server) => {
    for (const target of ['PUT /many', 'PATCH /many', 'DELETE /many', 'POST /slash/'])
      await answersRetry(target)(server);
    await answersRetry('POST /versions', { headers: { 'accept-version': '2.0.0' } })(server);
    await ranTimes(server, 5);
  }),
  works(
    'the key in upper case, in lower case, in quotation marks',
    'without-await-plugins.mjs',
    ONCE,
    async (server) => {
      const key = randomUUID();
      const statuses = [];
      for (const text of [key, key.toUpperCase(), `"${key}"`])
        statuses.push((await server.ask('POST /payments', { headers: { 'Idempotency-Key': text }, body })).status);
      equal(statuses.join(), '201,409,409');
      await ranTimes(server, 1);
    },
  ),
  works(
    'the key is no UUID, or there is none',
    'without-await-plugins.mjs',
    '400, says what to send',
    async (server) => {
      const bad = await server.ask('POST /payments', { headers: { 'idempotency-key': 'order-7' }, body });
      equal(bad.status, 400);
      match(bad.json.message, /UUID/);
      equal((await server.ask('POST /payments', { body })).json.code, 'IDEMPOTENCY_KEY_REQUIRED');
      await ranTimes(server, 0);
    },
  ),
  works('reply.hijack()', 'hijacked.mjs', ONCE, runsOnce()),
  works('the handler replies before its work is done', 'replies-before.mjs', ONCE, runsOnce()),
  works('an error handler that answers 200', 'error-handler.mjs', ONCE, runsOnce('POST /payments', { answers: 200 })),
  refused(
    'an onRoute hook that was added later replaces config',
    'on-route.mjs',
    /POST \/payments/,
    /add that hook before the plugin/,
  ),
  works('an onRoute hook that was added later wraps handlers', 'replaced-handler.mjs', ONCE, runsOnce()),
  refused('registered twice', 'twice.mjs', /idempotency/, /remove one registration/),
  refused('the store is a Map', 'option.mjs map', /idempotency: store/, /TtlStore/),
  refused('the store is a client of Redis', 'option.mjs redis', /idempotency: store/, /TtlStore/),
  refused('the store is a promise', 'option.mjs promise', /idempotency: store/, /await/),
  refused('milliseconds for seconds', 'option.mjs milliseconds', /leaseSeconds/, /seconds/),
  refused('ttl, as elsewhere', 'option.mjs ttl', /ttl is not an option/, /retentionSeconds|did you mean|options are/),
  refused('a misspelt option', 'option.mjs misspelt', /retensionSeconds/, /did you mean retentionSeconds/),
  works('the client of the store is closed', 'away-store.mjs', '503, the handler does not run', async (server) => {
    const { status } = await server.ask('POST /payments', { headers: { 'idempotency-key': randomUUID() }, body });
    equal(status, 503);
    await ranTimes(server, 0);
  }),
  works(
    '@fastify/jwt and its hook after it',
    'authentication-after.mjs',
    'users have their own keys',
    async (server) => {
      const headers = { 'idempotency-key': randomUUID() };
      for (const [user, status] of [
        ['ada', 201],
        ['bob', 201],
        ['ada', 409],
      ])
        equal((await server.ask('POST /payments', { headers: { ...headers, 'x-user': user }, body })).status, status);
    },
  ),
  works(
    '@fastify/multipart, whose files are read in the handler',
    'multipart.mjs',
    'the handler does not run, and the answer says what the route needs',
    async (server) => {
      const form = new FormData();
      form.set('file', new File(['some text'], 'a.txt'));
      const headers = { 'idempotency-key': randomUUID() };
      const { json } = await server.ask('POST /payments', { headers, body: form });
      match(json.message, /POST \/payments: .*give the route content: 'in-handler'/);
      await ranTimes(server, 0);
    },
    { answers500: 'only a request shows that its body is a form' },
  ),
  refused(
    'a public route without captcha and rate limit',
    'public.mjs',
    /POST \/payments/,
    /config\.captcha.*config\.rateLimit/s,
  ),
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/idempotency/, /expected '5\.x' fastify version/),
  refused('request.idempotency is decorated by the team', 'own-decorator.mjs', /idempotency/, /rename|another name/),
];
