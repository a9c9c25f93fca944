import { deepEqual, equal } from 'node:assert/strict';
import { doesNotCompile, refused, works } from '../expectations.mjs';

const post = ({ ask }, path, body) => ask(`POST ${path}`, { body });

/** Five guesses are compared, and then the right code is refused; with its handle it is accepted once. */
async function holds(server) {
  const { handle, code } = (await post(server, '/code', { mail: 'ada@example.com' })).json;
  const redeem = async (more) => (await post(server, '/login', { mail: 'ada@example.com', ...more })).status;
  for (let guess = 0; guess < 5; guess++) equal(await redeem({ code: 'x' }), 401);
  equal(await redeem({ code }), 401);
  deepEqual([await redeem({ code, handle }), await redeem({ code, handle })], [200, 401]);
}

/** What is not `true` has answered no captcha. A second send for one purpose would be a double click. */
async function needsCaptcha(server) {
  const send = (purpose) => post(server, '/code', { mail: 'bob@example.com', purpose });
  for (const purpose of ['one', 'two', 'three']) equal((await send(purpose)).status, 200);
  equal((await send('four')).json.code, 'CAPTCHA_REQUIRED');
}

const SUBJECT = /createOneTimeCodes/;

export const cases = [
  works('no policy', 'engine.mjs none', 'five attempts, and the handle is not touched', holds),
  ...['missing', 'undefined', 'object', 'text'].map((how) =>
    works(`hasCaptcha: ${how}`, `engine.mjs ${how}`, 'the fourth send needs a captcha', needsCaptcha),
  ),
  refused('no key', 'engine.mjs no-key', SUBJECT, /key is required/),
  refused('a text as key', 'engine.mjs text-key', SUBJECT, /at least 32 secret bytes/),
  refused('a short key', 'engine.mjs short-key', SUBJECT, /at least 32 secret bytes/),
  refused('no send', 'engine.mjs no-send', SUBJECT, /send is required/),
  refused('a store without await', 'engine.mjs promised-store', SUBJECT, /write `await` before it/),
  refused('a misspelt limit', 'engine.mjs misspelt', SUBJECT, /did you mean policy\.maxAttempts/),
  refused('a limit outside of the policy', 'engine.mjs outside', SUBJECT, /policy\.maxAttempts/),
  refused('a code of three digits', 'engine.mjs three-digits', SUBJECT, /from 4 to 10/),
  doesNotCompile('the result of check taken as a sign-in', 'check-only.ts', /redeem|boolean/),
];
