import { anything, argumentCheck, text } from '@sallyport/plugin-kit/options';
import { factorNameRule, principalRule } from '../shared-options.js';
import type { Passkeys } from './contract.js';

/** The call itself checks the values that a client writes. */
const written = anything();
const principal = { principal: principalRule };
const question = { ...principal, purpose: text({ maxLength: 100, what: 'what the answer is for, such as sign-in' }) };

const checkRequest = argumentCheck('passkeys.beginRegistration', {
  ...principal,
  account: text({ maxLength: 256, what: 'a text such as the user name' }),
});
const checkRegistration = argumentCheck('passkeys.finishRegistration', {
  ...principal,
  response: written,
  name: factorNameRule,
});
const checkQuestion = argumentCheck('passkeys.beginAuthentication', question);
const checkProof = argumentCheck('passkeys.finishAuthentication', { ...question, response: written });

/** Wraps the engine in the checks of its arguments. */
export function withCheckedArguments(engine: Passkeys): Passkeys {
  return {
    async beginRegistration(request) {
      checkRequest(request);
      return engine.beginRegistration(request);
    },
    async finishRegistration(registration) {
      checkRegistration(registration);
      return engine.finishRegistration(registration);
    },
    async beginAuthentication(asked) {
      checkQuestion(asked);
      return engine.beginAuthentication(asked);
    },
    async finishAuthentication(proof) {
      checkProof(proof);
      return engine.finishAuthentication(proof);
    },
  };
}
