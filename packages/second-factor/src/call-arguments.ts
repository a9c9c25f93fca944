import { anything, argumentCheck, option } from '@sallyport/plugin-kit/options';
import type { SecondFactors } from './contract.js';
import { factorNameRule, principalRule } from './shared-options.js';

/** The call itself checks the values that a client writes. */
const written = anything();

const account = option<string>({
  meaning: 'a text of 1 to 256 characters, such as the user name',
  accepts: (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= 256 && !/\p{Surrogate}/u.test(value),
});
const principal = { principal: principalRule };

const checkBegin = argumentCheck('secondFactors.beginTotp', { ...principal, account, name: factorNameRule });
const checkConfirm = argumentCheck('secondFactors.confirmTotp', { ...principal, id: written, code: written });
const checkTotp = argumentCheck('secondFactors.verifyTotp', { ...principal, code: written });
const checkRecovery = argumentCheck('secondFactors.verifyRecoveryCode', { ...principal, code: written });
const checkCreate = argumentCheck('secondFactors.createRecoveryCodes', principal);
const checkRemove = argumentCheck('secondFactors.remove', { ...principal, id: written });

/** Checks an argument that is the account itself. */
function checkPrincipal(call: string, given: unknown): void {
  const faults = principalRule.faults(given, 'the argument');
  if (faults.length > 0) throw new TypeError(`${call}: ${faults.join('; and ')}`);
}

/** Wraps the engine in the checks of its arguments. */
export function withCheckedArguments(engine: SecondFactors): SecondFactors {
  return {
    ...engine,
    async beginTotp(request) {
      checkBegin(request);
      return engine.beginTotp(request);
    },
    async confirmTotp(confirmation) {
      checkConfirm(confirmation);
      return engine.confirmTotp(confirmation);
    },
    async verifyTotp(proof) {
      checkTotp(proof);
      return engine.verifyTotp(proof);
    },
    async createRecoveryCodes(request) {
      checkCreate(request);
      return engine.createRecoveryCodes(request);
    },
    async verifyRecoveryCode(proof) {
      checkRecovery(proof);
      return engine.verifyRecoveryCode(proof);
    },
    async list(given) {
      checkPrincipal('secondFactors.list', given);
      return engine.list(given);
    },
    async remove(factor) {
      checkRemove(factor);
      return engine.remove(factor);
    },
    async reset(given) {
      checkPrincipal('secondFactors.reset', given);
      return engine.reset(given);
    },
    async reencrypt(given) {
      checkPrincipal('secondFactors.reencrypt', given);
      return engine.reencrypt(given);
    },
  };
}
