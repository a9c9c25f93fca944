import { deepEqual, equal, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

const signIn = ({ ask }, password = 'guess') => ask('POST /login', { body: { username: 'ada', password } });

async function statusesOf(server, count) {
  const statuses = [];
  for (let attempt = 0; attempt < count; attempt++) statuses.push((await signIn(server)).status);
  return statuses;
}

/** Whether the right password opens, five wrong ones lock, and then the right one does not open. */
async function locks(server) {
  equal((await signIn(server, 'correct horse')).status, 200);
  deepEqual(await statusesOf(server, 6), [401, 401, 401, 401, 401, 429]);
  equal((await signIn(server, 'correct horse')).status, 429);
}

/** As above. Nobody knows whether a password was compared, so places are kept for a minute, and the log says why. */
async function locksAndTells(server) {
  await locks(server);
  await server.prints(/"level":50.*(?:Wrong|Unauthorized|wrong)/);
}

const LOCKS = '5 failures lock';

export const cases = [
  ...[
    ['false', 'the check resolves to false'],
    ['null', 'the check resolves to null'],
    ['undefined', 'the check resolves to undefined'],
    ['zero', 'the check resolves to 0'],
    ['ok-false', 'the check resolves to { ok: false }'],
    ['success-false', 'the check resolves to { success: false }'],
    ['valid-false', 'the check resolves to { valid: false }'],
    ['rows', 'the check resolves to []'],
    ['status-code', 'the check throws an error with statusCode 401'],
    ['http-errors', 'the check throws 403 of http-errors'],
    ['axios', 'the check throws what axios throws for 401'],
  ].map(([how, mistake]) => works(mistake, `check.mjs ${how}`, LOCKS, locks)),
  ...[
    ['response', 'the check throws an error with response.status 401 alone'],
    ['plain', 'the check throws an error without a status'],
    ['text', 'the check throws a text'],
  ].map(([how, mistake]) =>
    works(mistake, `check.mjs ${how}`, '5 attempts a minute, and the error in the log', locksAndTells),
  ),
  works('isFailure throws', 'judged.mjs throws', 'counted, nobody is let in', async (server) => {
    equal((await signIn(server, 'correct horse')).status, 401);
    match(String((await statusesOf(server, 6)).at(-1)), /429/);
  }),
  ...['promise', 'garbage'].map((how) =>
    works(`isFailure returns: ${how}`, `judged.mjs ${how}`, 'counted, nobody is let in', async (server) => {
      equal((await signIn(server, 'correct horse')).status, 401);
      equal((await statusesOf(server, 6)).at(-1), 429);
    }),
  ),
  works('registered without await', 'without-await.mjs', LOCKS, locks),
  works('the handler does not await the attempt', 'not-awaited.mjs', LOCKS, async (server) => {
    deepEqual(await statusesOf(server, 6), [401, 401, 401, 401, 401, 429]);
  }),
  refused(
    'a file of @fastify/autoload without fastify-plugin',
    'autoloaded/server.mjs',
    /login-policy: .*'lockout'/,
    /Wrap that plugin in fastify-plugin/,
  ),
  refused('registered in a child scope', 'child-scope.mjs', /login-policy/, /scope: 'encapsulated'/),
  refused('registered twice', 'twice.mjs', /login-?[pP]olicy/, /remove one registration/),
  refused("failureCount: '5'", 'options.mjs failure-count', /failureCount/, /whole number/),
  refused('lockMillis', 'options.mjs milliseconds', /lockMillis/, /did you mean|options are|lockSeconds/),
  refused('a misspelt option', 'options.mjs misspelt', /polcy/, /did you mean policy/),
  refused('failureCount: 0', 'options.mjs zero', /failureCount/, /whole number|from/),
  refused('no store', 'options.mjs no-store', /login-policy: store/, /required/),
  refused('the store is a Map', 'options.mjs map', /login-policy: store/, /@sallyport\/ttl-store/),
  works(
    'attempt receives a promise in place of a function',
    'attempt.mjs promise-for-function',
    'nobody is let in, and the answer says what to pass',
    async ({ ask }) => {
      const { status, json } = await ask('POST /login', { body: { username: 'ada', password: 'correct horse' } });
      equal(status, 500);
      match(json.message, /verify|function/);
    },
    { answers500: 'the mistake is in the handler' },
  ),
  works(
    'attempt receives request.clientIp without @sallyport/client-ip',
    'attempt.mjs no-address',
    'nobody is let in, and the answer says what to pass',
    async ({ ask }) => {
      const { status, json } = await ask('POST /login', { body: { username: 'ada', password: 'correct horse' } });
      equal(status, 500);
      match(json.message, /clientIp/);
    },
    { answers500: 'the mistake is in the handler' },
  ),
  works(
    'a precheck that resolves to false',
    'attempt.mjs precheck-false',
    'nobody is let in, and the answer says how to refuse',
    async ({ ask }) => {
      const { status, json } = await ask('POST /login', { body: { username: 'ada', password: 'correct horse' } });
      equal(status, 500);
      match(json.message, /precheck must resolve to undefined, or reject/);
    },
    { answers500: 'the mistake is in the handler' },
  ),
  works('attempt receives no name', 'attempt.mjs no-name', '400, nobody is let in', async (server) => {
    const { status, json } = await signIn(server, 'correct horse');
    equal(status, 400);
    equal(json.code, 'LOGIN_NAME_REFUSED');
  }),
  works(
    'attempt receives the User-Agent as the terminal',
    'attempt.mjs user-agent',
    '400, nobody is let in',
    async (server) => {
      const { status, json } = await signIn(server, 'correct horse');
      equal(status, 400);
      equal(json.code, 'LOGIN_TERMINAL_REFUSED');
    },
  ),
  works('the client of the store is closed', 'away-store.mjs', '503, nobody is let in', async (server) => {
    equal((await signIn(server, 'correct horse')).status, 503);
  }),
  refused('Fastify 4', 'fastify-4.mjs', /@sallyport\/login-policy/, /expected '5\.x' fastify version/),
];
