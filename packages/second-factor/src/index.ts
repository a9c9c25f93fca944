export { totpCodeAt } from './codes/index.js';
export type {
  CodeProof,
  FactorSummary,
  ProvenFactor,
  ProvenRecoveryCode,
  SecondFactors,
  TotpConfirmation,
  TotpEnrolment,
  TotpRequest,
} from './contract.js';
export {
  SecondFactorNotEnrolledError,
  SecondFactorSetupError,
  SecondFactorUnavailableError,
  TooManyPasskeysError,
} from './errors.js';
export type { FactorListener, FactorRefusal, FactorRefusedEvent, SecondFactorLog } from './events.js';
export type { SecretKey } from './keys/index.js';
export { SECOND_FACTOR_DEFAULTS, type SecondFactorsOptions } from './options.js';
export type {
  FactorKind,
  FactorRecord,
  FactorRecords,
  PasskeyRecord,
  RecoveryCodesRecord,
  TotpAlgorithm,
  TotpRecord,
} from './records/index.js';
export {
  createMemoryFactorRecords,
  MEMORY_FACTOR_RECORDS_DEFAULTS,
  type MemoryFactorRecordsOptions,
} from './records/index.js';
export { refusals, type SecondFactorRefusalCode } from './refusals.js';
export { createSecondFactors } from './second-factors.js';
export type { SecondFactorStore, SharedOptions } from './shared-options.js';
