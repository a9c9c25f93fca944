import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { refused, works } from '../expectations.mjs';

const SEALED = 'plaintext is refused';
const SAME_SCOPE = /register @sallyport\/envelope-crypto before it, in the same scope/;

/** The service goes on with its first key, and says what is wrong without a key. */
const keepsItsKey =
  (says) =>
  async ({ ask, prints, printed }) => {
    const failure = async () => (await ask('GET /status')).json;
    let seen = await failure();
    for (let i = 0; i < 100 && seen.failure === null; i += 1) {
      await sleep(100);
      seen = await failure();
    }
    deepEqual([seen.status, seen.keyId], [200, '2026-11']);
    match(seen.failure?.faults.join(), says);
    await prints(says);
    equal(/[0-9a-f]{32}/.test((await printed()) + JSON.stringify(seen)), false);
  };

/** A handler that works past Fastify is refused, and both log and answer say how to declare it. */
const refusesHandler =
  (code, flag) =>
  async ({ ask, prints, printed }) => {
    const { json } = await ask('GET /try');
    deepEqual([json.status, json.asked], [500, []]);
    const says = new RegExp(`${code}[^]*set config\\.${flag}: true`);
    match(json.answer, says);
    await prints(new RegExp(code));
    await prints(new RegExp(`set config\\.${flag}: true`));
    await keepsSecret({ prints, printed });
  };

/** The log has the sealed URL alone. */
async function keepsSecret({ prints, printed }) {
  await prints(/\/accounts\?__enc=/);
  equal(/13800138000/.test(await printed()), false);
}

const RAW_URL = refusesHandler('ENVELOPE_RAW_URL_UNDECLARED', 'deliverRawUrl');
const HIJACK = refusesHandler('ENVELOPE_HIJACK_UNDECLARED', 'allowHijack');
const NO_ANSWER = 'no wrong answer; answer and log name the setting';

export const cases = [
  refused(
    'envelope-crypto without replay-guard',
    'without-replay-guard.mjs',
    /envelope-crypto/,
    /register @sallyport\/replay-guard after it/,
  ),
  refused('replay-guard without envelope-crypto', 'replay-guard-alone.mjs', /replay-guard/, /envelope-crypto/),
  refused('replay-guard before envelope-crypto', 'replay-guard-first.mjs', /replay-guard/, /envelope-crypto/),
  refused('replay-guard in a scope inside', 'replay-guard-elsewhere.mjs', /replay-guard/, SAME_SCOPE),
  refused('replay-guard in the scope around', 'replay-guard-above.mjs', /replay-guard/, /envelope-crypto/),
  refused('registered in a child scope', 'child-scope.mjs', /envelope-crypto/, /scope: 'encapsulated'/),
  refused(
    'registered without await, followed by a route',
    'without-await.mjs',
    /POST \/payments/,
    /await app\.register/,
  ),
  refused('registered after the routes', 'routes-first.mjs', /POST \/payments/, /register it before every route/),
  refused('registered twice', 'twice.mjs', /replay-?[gG]uard/, /remove one registration/),
  refused("mode: 'required'", 'option.mjs lower-case', /mode/, /'REQUIRED'/),
  refused('mode: true', 'option.mjs true', /mode/, /'REQUIRED'/),
  refused('a key, and no mode', 'option.mjs no-mode', /mode/, /'REQUIRED'/),
  refused('the key is a text', 'option.mjs short-key', /privateKey/, /hex/),
  refused('the key is PEM', 'option.mjs pem', /privateKey/, /hex/),
  refused('no key', 'option.mjs no-key', /privateKey/, /required|openssl|needs/),
  refused('a misspelt option', 'option.mjs misspelt', /bypasRoutes/, /did you mean bypassRoutes/),
  refused('a bypass of a path that no route has', 'option.mjs unknown-route', /healthz/, /bypassRoutes/),
  refused("bypassEnvelope: 'no'", 'config.mjs', /POST \/payments: config\.bypassEnvelope/, /true or false/),
  refused(
    'a route outside of the scope asks for it',
    'outside.mjs',
    /POST \/payments/,
    /register it on the root instance, or in the scope of this route as well/,
  ),
  refused(
    'auth-tokens after envelope-crypto',
    'auth-tokens-after.mjs',
    /auth-tokens/,
    /register @sallyport\/auth-tokens before/,
  ),
  works(
    'all methods, other types, cors, an error handler that answers 200',
    'many-methods.mjs',
    SEALED,
    async ({ ask }) => {
      const targets = ['GET /all', 'POST /all', 'PUT /many', 'PATCH /many', 'DELETE /many', 'GET /slash/'];
      for (const target of targets) {
        const { json } = await ask(target, /GET/.test(target) ? {} : { body: { amount: 5 } });
        equal(json.success, false);
        equal(json.paid, undefined);
      }
      const form = new FormData();
      form.set('amount', '5');
      equal((await ask('POST /all', { body: form })).json?.paid, undefined);
      const versioned = await ask('POST /versions', { headers: { 'accept-version': '2.0.0' }, body: {} });
      equal(versioned.json.success, false);
    },
  ),
  refused('keySource is the function', 'key-source.mjs function', /keySource/, /an object with load/),
  refused('a keySource, and no mode', 'key-source.mjs no-mode', /mode/, /'REQUIRED'/),
  refused('a key with the keySource', 'key-source.mjs with-a-key', /privateKey/, /must be left out/),
  refused(
    'a misspelt member of keySource',
    'key-source.mjs misspelt',
    /refreshSecond/,
    /did you mean .*refreshSeconds/,
  ),
  refused('refreshSeconds in milliseconds', 'key-source.mjs milliseconds', /refreshSeconds/, /seconds from 1 to 86400/),
  refused('load yields the text of the file', 'key-source.mjs text', /keySource/, /object with keyId and privateKey/),
  refused('load yields a misspelt member', 'key-source.mjs misspelt-key', /previouskeys/, /did you mean previousKeys/),
  refused('load yields bytes', 'key-source.mjs bytes', /privateKey/, /64 hexadecimal/),
  refused('load yields a passphrase', 'key-source.mjs passphrase', /privateKey/, /openssl rand -hex 32/),
  refused('load yields nothing', 'key-source.mjs nothing', /keySource/, /object with keyId and privateKey/),
  refused('load never answers', 'key-source.mjs hangs', /keySource: load failed/, /No answer within 200 ms/),
  refused('subscribe is async', 'key-source.mjs async-subscribe', /subscribe/, /return a function that ends/),
  refused('subscribe returns the emitter', 'key-source.mjs emitter', /subscribe/, /return a function that ends/),
  works(
    'a new key under the id of the old one',
    'broken-rotation.mjs same-id',
    'the first key stays',
    keepsItsKey(/the id 2026-11 named another key/),
  ),
  works('a weak new key', 'broken-rotation.mjs weak', 'the first key stays', keepsItsKey(/openssl rand -hex 32/)),
  works(
    'the key file is read while it is written',
    'broken-rotation.mjs half-a-file',
    'the first key stays',
    keepsItsKey(/could not be parsed/),
  ),
  works(
    'load puts a key into its error',
    'broken-rotation.mjs key-in-message',
    'the first key stays, and the log masks the other',
    keepsItsKey(/no such key: …/),
  ),
  refused('scheduleQueryOpening is an object', 'schedule.mjs no-function', /scheduleQueryOpening/, /function/),
  ...['forgets', 'throws'].map((how) =>
    works(`scheduleQueryOpening ${how}`, `schedule.mjs ${how}`, 'no handler runs', async ({ ask }) => {
      deepEqual((await ask('GET /try')).json, { good: 500, changed: 500, served: 0 });
    }),
  ),
  works(
    'scheduleQueryOpening swallows refusals',
    'schedule.mjs swallows-errors',
    'what does not open is refused',
    async ({ ask }) => {
      deepEqual((await ask('GET /try')).json, { good: 200, changed: 400, served: 1 });
    },
  ),
  works(
    'scheduleQueryOpening does not await open',
    'schedule.mjs not-awaited',
    'what does not open is refused, and the process goes on',
    async ({ ask }) => {
      deepEqual((await ask('GET /try')).json, { good: 200, changed: 400, served: 1 });
      deepEqual((await ask('GET /try')).json, { good: 200, changed: 400, served: 2 });
    },
  ),
  refused('trustedKeys is one key', 'client.mjs one-key', /trustedKeys/, /list/),
  refused('trustedKeys has a private key', 'client.mjs private-key', /trustedKeys/, /130 lower-case hex digits/),
  refused('trustedKeys has ids', 'client.mjs key-ids', /trustedKeys/, /130 lower-case hex digits/),
  refused('trustedKeys is empty', 'client.mjs no-keys', /trustedKeys/, /130 lower-case hex digits/),
  refused('requireEncryption is misspelt', 'client.mjs misspelt', /requireEncrypton/, /did you mean requireEncryption/),
  refused('requireEncryption is a text', 'client.mjs text', /requireEncryption/, /true or false/),
  works('requireEncryption, and a service that is OFF', 'client.mjs off', 'nothing is sent', async ({ ask }) => {
    deepEqual((await ask('GET /try')).json, { outcome: 'ENCRYPTION_DOWNGRADE', reached: 0 });
  }),
  works('trustedKeys of another service', 'client.mjs another-key', 'nothing is sent', async ({ ask }) => {
    deepEqual((await ask('GET /try')).json, { outcome: 'SERVER_KEY_UNTRUSTED', reached: 0 });
  }),
  works('@fastify/http-proxy without deliverRawUrl', 'past-fastify.mjs proxy', NO_ANSWER, RAW_URL),
  works('a router reads the raw URL, and swallows errors', 'past-fastify.mjs router', NO_ANSWER, RAW_URL),
  works('a handler hijacks its reply', 'past-fastify.mjs hijack', 'nothing leaves in the clear', HIJACK),
  works('a handler writes to reply.raw', 'past-fastify.mjs events', 'nothing leaves in the clear', HIJACK),
  ...['proxy', 'router'].map((program) =>
    works(
      `deliverRawUrl for a ${program}`,
      `past-fastify.mjs ${program} declared`,
      'it gets the query, and no log does',
      async (server) => {
        const { json } = await server.ask('GET /try');
        deepEqual([json.status, JSON.parse(json.answer)], [200, { found: 'mobile=13800138000' }]);
        await keepsSecret(server);
      },
    ),
  ),
  works('allowHijack', 'past-fastify.mjs hijack declared', 'what was asked for', async (server) => {
    const { json } = await server.ask('GET /try');
    deepEqual([json.status, json.answer], [200, 'in the clear']);
    await keepsSecret(server);
  }),
  refused(
    'the settings of raw access are misspelt',
    'past-fastify.mjs router misspelt',
    /GET \/accounts/,
    /deliverRawUrl/,
  ),
  refused("deliverRawUrl: 'true'", 'past-fastify.mjs router text', /config\.deliverRawUrl/, /true or false/),
  refused("allowHijack: 'yes'", 'past-fastify.mjs hijack text', /config\.allowHijack/, /true or false/),
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/envelope-crypto/, /expected '5\.x' fastify version/),
];
