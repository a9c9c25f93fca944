export {
  createRecoveryCode,
  hashRecoveryCode,
  RECOVERY_CODE_COUNT,
  readRecoveryCode,
  withoutCode,
} from './recovery-codes.js';
export {
  createTotpSecret,
  findStep,
  readTotpCode,
  secretText,
  totpCodeAt,
  totpUri,
} from './totp.js';
