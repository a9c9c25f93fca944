import { equal } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

const SEALED = 'plaintext is refused';
const SAME_SCOPE = /register @sallyport\/envelope-crypto before it, in the same scope/;

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
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/envelope-crypto/, /expected '5\.x' fastify version/),
];
