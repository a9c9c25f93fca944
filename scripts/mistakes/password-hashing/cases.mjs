import { equal } from 'node:assert/strict';
import { doesNotCompile, refused, works } from '../expectations.mjs';

const signIn = ({ ask }, password, username = 'ada') => ask('POST /login', { body: { username, password } });

/** Nobody gets in, whatever is sent. The log says what is wrong with the stored hash, and shows neither of the two. */
async function failsAndTells(server) {
  for (const password of ['correct horse', 'wrong', '']) equal((await signIn(server, password)).status, 401);
  equal((await signIn(server, 'correct horse', 'nobody')).status, 401);
  await server.prints(/"level":50.*A stored password hash /);
  const printed = await server.printed();
  for (const secret of ['correct horse', '$2b$', '$argon2id$']) equal(printed.includes(secret), false);
}

const TOLD = '401, and an error in the log that shows nothing';

export const cases = [
  refused('rounds in place of cost', 'options.mjs rounds', /rounds is not an option/, /the options are cost, /),
  refused('the cost is a text of the environment', 'options.mjs text', /cost/, /must be a whole number from 4 to 31/),
  refused('a cost below 4', 'options.mjs weak', /cost/, /must be a whole number from 4 to 31/),
  refused('maxCost below cost', 'options.mjs ceiling', /maxCost/, /must not be less than cost/),
  refused('seconds in place of milliseconds', 'options.mjs seconds', /maxTaskSeconds/, /maxTaskMillis/),
  refused('a function as log', 'options.mjs log', /log/, /must be a logger with error, such as app\.log/),
  ...[
    ['short-column', 'the column cuts hashes off'],
    ['php', 'the hashes are of Argon2'],
    ['old-version', 'the hashes are of version 2x'],
    ['too-expensive', 'a hash of cost 24'],
    ['plaintext', 'the stored text is the password'],
    ['undefined-hash', 'user?.passwordHash without ?? null'],
    ['swapped', 'the arguments of verify are swapped'],
  ].map(([how, mistake]) => works(mistake, `login.mjs ${how}`, TOLD, failsAndTells)),
  works('a route without a schema, and a password that is no text', 'login.mjs no-schema', '401', async (server) => {
    for (const password of [null, 7, true, ['correct horse'], { $ne: '' }, undefined, 'x'.repeat(100_000)]) {
      equal((await signIn(server, password)).status, 401);
    }
    equal((await signIn(server, 'correct horse')).status, 200);
    equal(await server.printed(), '');
  }),
  doesNotCompile('verify without await', 'not-awaited.ts', /Promise<boolean>/),
  doesNotCompile('an account that may be undefined', 'undefined-hash.ts', /undefined/),
];
