export {
  createMemoryFactorRecords,
  MEMORY_FACTOR_RECORDS_DEFAULTS,
  type MemoryFactorRecordsOptions,
} from './memory-records.js';
export {
  changeRecord,
  type FactorKind,
  type FactorRecord,
  type FactorRecords,
  hasFactor,
  NO_FACTORS,
  type PasskeyRecord,
  type RecoveryCodesRecord,
  readRecord,
  type TotpAlgorithm,
  type TotpRecord,
} from './records.js';
