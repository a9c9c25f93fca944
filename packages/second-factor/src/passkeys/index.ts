export {
  SecondFactorSetupError,
  SecondFactorUnavailableError,
  TooManyPasskeysError,
} from '../errors.js';
export type {
  PasskeyProof,
  PasskeyQuestion,
  PasskeyRegistration,
  PasskeyRequest,
  Passkeys,
  ProvenPasskey,
} from './contract.js';
export { PASSKEY_DEFAULTS, type PasskeysOptions } from './passkey-options.js';
export { createPasskeys } from './passkeys.js';
