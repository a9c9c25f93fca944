import { deepEqual, equal } from 'node:assert/strict';
import { doesNotCompile, refused, works } from '../expectations.mjs';

const send = async ({ ask }, code) => (await ask('POST /second-factor', { body: { code } })).status;

/** No other code, no number, and the right one once. */
async function holds(server) {
  const { code } = (await server.ask('GET /code')).json;
  const other = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  for (const wrong of [other, Number(code), '', null, [code]]) equal(await send(server, wrong), 401);
  deepEqual([await send(server, code), await send(server, code)], [200, 401]);
}

/** Nothing is accepted, whatever is sent. */
async function acceptsNothing(server) {
  const { code } = (await server.ask('GET /code')).json;
  for (const given of ['000000', code, code]) {
    const status = await send(server, given);
    equal(status === 401 || status === 503, true, `it answered ${status}`);
  }
}

const SUBJECT = /createSecondFactors/;
const PASSKEYS = /createPasskeys/;

export const cases = [
  works('nothing', 'engine.mjs right', 'the right code is accepted once', holds),
  works('replace without a result', 'engine.mjs silent-replace', 'no code is accepted', acceptsNothing),
  works('read returns a text', 'engine.mjs text-records', 'no code is accepted', acceptsNothing),
  refused('no key', 'engine.mjs no-key', SUBJECT, /key is required/),
  refused('a key without an id', 'engine.mjs bare-key', SUBJECT, /key must be an object with id and secret/),
  refused('a text as key', 'engine.mjs text-key', SUBJECT, /key\.secret must be 32 random bytes/),
  refused('a key of zeros', 'engine.mjs zero-key', SUBJECT, /key\.secret must be 32 random bytes/),
  refused('another key under the same id', 'engine.mjs another-key', SUBJECT, /key: another secret was used/),
  refused('a store without await', 'engine.mjs promised-store', SUBJECT, /write `await` before it/),
  refused('records that only read', 'engine.mjs read-only-records', SUBJECT, /records must be an object with read and/),
  refused('a misspelt option', 'engine.mjs misspelt', SUBJECT, /did you mean previousKeys/),
  refused('a URL as rpId', 'engine.mjs url-as-rp-id', PASSKEYS, /rpId must be a domain/),
  refused('an origin with a path', 'engine.mjs origin-with-path', PASSKEYS, /origins must be a list of origins/),
  refused('an origin of another domain', 'engine.mjs other-origin', PASSKEYS, /origins must be of the domain rpId/),
  doesNotCompile('a check without await', 'without-await.ts', /Promise/),
];
