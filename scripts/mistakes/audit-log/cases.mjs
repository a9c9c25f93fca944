import { deepEqual, equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { refused, works } from '../expectations.mjs';

/** The records, which the applications print for a request to this path. */
async function recordsOf({ ask, prints }) {
  await sleep(100); // for records of replies that need not wait for them
  const path = `/end-of-test/${randomUUID()}`;
  await ask(`GET ${path}`);
  const line = (await prints(new RegExp(`^${path}.*\\n`, 'm'))).split('\n').find((each) => each.startsWith(path));
  return JSON.parse(line.slice(path.length));
}

/** The outcomes that a request leaves in the log. */
async function outcomesOf(server, target, { answers, headers = {} }) {
  equal((await server.ask(target, { body: {}, headers })).status, answers);
  const records = await recordsOf(server);
  return records.filter(({ extra }) => extra?.path === target.split(' ')[1]).map(({ outcome }) => outcome);
}

const isRecorded =
  (target = 'POST /payments') =>
  async (server) => {
    deepEqual(await outcomesOf(server, target, { answers: 201 }), ['success']);
  };

const RECORDED = 'the operation is recorded';
const SINK = /audit-log: sink/;

export const cases = [
  refused(
    'a file of @fastify/autoload without fastify-plugin',
    'autoloaded/server.mjs unwrapped',
    /audit-log: .*'audit'/,
    /Wrap that plugin in fastify-plugin/,
  ),
  works('a file of @fastify/autoload with autoConfig', 'autoloaded/server.mjs auto-config', RECORDED, isRecorded()),
  refused(
    'registered without await, followed by a route',
    'without-await.mjs',
    /POST \/payments/,
    /await app\.register/,
  ),
  works('registered without await, followed by plugins', 'without-await-plugins.mjs', RECORDED, isRecorded()),
  refused('registered in a child scope, with routes outside', 'child-scope.mjs', /audit-log/, /scope: 'encapsulated'/),
  refused(
    'a recorded route outside of the encapsulated scope',
    'part.mjs later',
    /POST \/payments/,
    /register it on the root instance, or in the scope of this route as well/,
  ),
  works(
    'a recorded route outside of the encapsulated scope, registered before the plugin',
    'part.mjs earlier',
    'each request to it is refused, and the answer says why',
    async ({ ask }) =>
      match((await ask('POST /payments')).json.message, /POST \/payments: .*registered in another scope/),
    { answers500: 'Fastify shows the config of older routes by requests only' },
  ),
  refused('@fastify/swagger-ui without decide', 'documented.mjs docs', /GET \/docs/, /option decide/),
  works('@fastify/swagger-ui with decide', 'documented.mjs docs decide', RECORDED, isRecorded()),
  refused('@fastify/static without decide', 'documented.mjs static', /GET \/assets\/\*/, /option decide/),
  works('@fastify/static with decide', 'documented.mjs static decide', RECORDED, isRecorded()),
  refused('audit: true', 'config.mjs true', /POST \/payments: config\.audit/, /false, a resource such as 'payment'/),
  refused('audit: 5', 'config.mjs number', /POST \/payments: config\.audit/, /false, a resource such as 'payment'/),
  refused('audit: null', 'config.mjs null', /POST \/payments: config\.audit/, /false, a resource such as 'payment'/),
  refused(
    "audit: 'Payment'",
    'config.mjs upper-case',
    /POST \/payments: config\.audit/,
    /a noun such as 'login-attempt'/,
  ),
  refused(
    'audit: { resouce }',
    'config.mjs misspelt',
    /POST \/payments: config\.audit/,
    /resouce.*did you mean .*resource/,
  ),
  refused("audit: { required: 'before' }", 'config.mjs misspelt-value', /config\.audit\.required/, /before-reply/),
  refused(
    'audit: { resource, action }',
    'config.mjs both',
    /POST \/payments: config\.audit/,
    /either action or resource/,
  ),
  refused('no audit', 'config.mjs undecided', /POST \/payments: config\.audit is missing/, /or false/),
  refused(
    "a write with required: 'after-reply'",
    'config.mjs after-reply',
    /POST \/payments: config\.audit\.required/,
    /change nothing/,
  ),
  refused('decide throws', 'decided.mjs throws', /POST \/payments/, /option decide throws: no table of routes/),
  refused('decide returns a promise', 'decided.mjs promise', /POST \/payments/, /decide.*promise/),
  refused("decide returns 'Yes!'", 'decided.mjs garbage', /POST \/payments/, /a noun such as/),
  refused('decide returns true', 'decided.mjs true', /POST \/payments/, /a resource such as 'payment'/),
  works(
    'app.all, lists of methods, constraints, prefixes with a slash',
    'many-methods.mjs',
    RECORDED,
    async (server) => {
      for (const target of ['POST /all', 'PUT /many', 'PATCH /many', 'POST /slash/'])
        await server.ask(target, { body: {} });
      await server.ask('DELETE /many');
      await server.ask('GET /read');
      await server.ask('HEAD /read');
      await server.ask('POST /versions', { body: {}, headers: { 'accept-version': '2.0.0' } });
      const done = (await recordsOf(server)).filter(({ outcome }) => outcome === 'success');
      deepEqual(done.map(({ extra }) => `${extra.method} ${extra.path}`).sort(), [
        ...['DELETE /many', 'GET /read', 'HEAD /read', 'PATCH /many', 'POST /all', 'POST /slash/', 'POST /versions'],
        'PUT /many',
      ]);
    },
  ),
  works('reply.hijack()', 'hijacked.mjs', RECORDED, isRecorded()),
  works('the handler replies, and goes on', 'replies-before.mjs', RECORDED, async (server) => {
    deepEqual(await outcomesOf(server, 'POST /payments', { answers: 202 }), ['success']);
  }),
  works('an error handler that answers 200', 'error-handler.mjs', 'the record says that it failed', async (server) => {
    await server.ask('POST /payments', { body: {} });
    // As after an answer of 500: the payment may have been made.
    equal((await recordsOf(server)).at(-1).outcome, 'unknown');
  }),
  refused(
    'an onRoute hook that was added later turns it off',
    'on-route.mjs',
    /POST \/payments/,
    /add that hook before the plugin/,
  ),
  refused('registered twice', 'twice.mjs', /audit-log/, /remove one registration/),
  refused('createFileSink without await', 'option.mjs sink-promise', SINK, /await/),
  refused('the sink is a list', 'option.mjs sink-array', SINK, /createMemorySink|append/),
  refused('no sink', 'option.mjs sink-missing', SINK, /required/),
  refused('a misspelt option', 'option.mjs misspelt', /requierd/, /did you mean required/),
  refused("actorOf: 'user'", 'option.mjs actor-text', /actorOf/, /function/),
  works('actorOf returns undefined', 'actor.mjs undefined', 'recorded without an actor', async (server) => {
    await server.ask('POST /payments', { body: {} });
    equal((await recordsOf(server)).at(-1).actor, null);
  }),
  ...['promise', 'object', 'throws'].map((how) =>
    works(
      `actorOf: ${how}`,
      `actor.mjs ${how}`,
      'the handler does not run',
      async (server) => {
        const { json } = await server.ask('POST /payments', { body: {} });
        match(json.message, how === 'throws' ? /id/ : /actorOf must return a text or null/);
        equal((await server.printed()).includes('PAID'), false);
      },
      { answers500: 'only a request shows what actorOf returns' },
    ),
  ),
  works(
    'authentication in a later hook',
    'authentication-first.mjs after',
    'its refusals are recorded',
    async (server) => {
      deepEqual(await outcomesOf(server, 'POST /payments', { answers: 401 }), ['refused']);
    },
  ),
  // Fastify does not show a plugin the hooks before it.
  works(
    'authentication in an earlier hook',
    'authentication-first.mjs before',
    'what is refused before it is not recorded, as its reference says; nothing else is lost',
    async (server) => {
      deepEqual(await outcomesOf(server, 'POST /payments', { answers: 401 }), []);
    },
  ),
  works('the sink fails', 'sink-fails.mjs', '503, the handler does not run', async ({ ask, printed }) => {
    equal((await ask('POST /payments', { body: {} })).status, 503);
    equal((await printed()).includes('PAID'), false);
  }),
  works('setNotFoundHandler', 'not-found.mjs', RECORDED, isRecorded()),
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/audit-log/, /expected '5\.x' fastify version/),
  refused(
    'request.audit is decorated by the team',
    'own-decorator.mjs',
    /audit-log: request\.audit exists already/,
    /another name/,
  ),
];
