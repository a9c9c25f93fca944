import { equal, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

const answerOf = async ({ ask }) => {
  const { key, image } = (await ask('GET /captcha')).json;
  return { key, code: image.split(',')[1] };
};

/** Nobody gets in by a right answer, and the message says what the team has to write. */
const refusesAll =
  (says, status = 500) =>
  async (server) => {
    const answer = await ask(server, await answerOf(server));
    equal(answer.status, status);
    match(answer.text, says);
  };

const ask = (server, body) => server.ask('POST /login', { body });

const BY_500 = { answers500: 'a mistake of the program, which no client can make; nobody gets in' };

/** Answers that a route without a schema passes on. */
const ODD = [{}, { key: 7 }, { code: [] }, { code: { length: 5 } }, { proof: ['1.1'] }];

export const cases = [
  refused('no store', 'option.mjs none', /createCaptchas: .*store/, /a store with set and take/),
  refused('the store without await', 'option.mjs promise', /store/, /write `await` before it/),
  refused('a misspelt option', 'option.mjs misspelt', /proofOfwork/, /did you mean proofOfWork/),
  refused('the cost outside of the group', 'option.mjs member', /cost/, /did you mean proofOfWork\.cost/),
  refused('3 MiB', 'option.mjs memory', /proofOfWork\.memoryMebibytes/, /power of two/),
  refused('a cost below the puzzles', 'option.mjs cheap', /proofOfWork\.cost/, /at least proofOfWork\.puzzles/),
  refused('svg-captcha as the renderer', 'option.mjs renderer', /renderer/, /createImageRenderer/),
  refused('external is a function', 'option.mjs external', /external/, /object of options/),
  works('kinds is a text', 'redeem.mjs kinds-text', '500, which names kinds', refusesAll(/kinds must be/), BY_500),
  works('a misspelt kind', 'redeem.mjs kinds-misspelt', '500, which names kinds', refusesAll(/kinds must be/), BY_500),
  works('no kinds', 'redeem.mjs kinds-missing', '500, which names kinds', refusesAll(/kinds must be/), BY_500),
  // A purpose or a kind may come from a query, so these are answered with 400.
  works('no purpose', 'redeem.mjs purpose-missing', '400, which names it', refusesAll(/purpose must be/, 400)),
  works('no schema for the body', 'redeem.mjs no-schema', 'odd answers are wrong ones', async (server) => {
    for (const odd of ODD) equal((await ask(server, { ...(await answerOf(server)), code: 'x', ...odd })).status, 400);
    equal((await ask(server, await answerOf(server))).status, 200);
  }),
  works('pictures without a renderer', 'proof.mjs', '400, which names the option', async ({ ask: get }) => {
    const { status, text } = await get('GET /captcha');
    equal(status, 400);
    match(text, /kind must be one of proof-of-work; for image, give createCaptchas the option renderer/);
  }),
];
