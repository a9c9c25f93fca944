export type {
  ClearedCodes,
  CodeCheck,
  CodeRequest,
  CodeSend,
  HasCaptcha,
  OneTimeCodes,
  RightCode,
  SentCode,
  WithContext,
} from './contract.js';
export {
  CodeCaptchaRequiredError,
  CodeRecipientRefusedError,
  CodeSendLimitedError,
  NewCodeRequiredError,
  OneTimeCodesSetupError,
  OneTimeCodesUnavailableError,
} from './errors.js';
export type { OneTimeCodeEvent, OneTimeCodeListener } from './events.js';
export type { CodeExplanation, CodeLimit } from './explain.js';
export { createOneTimeCodes } from './one-time-codes.js';
export type { CodeMessage, OneTimeCodeStore, OneTimeCodesLog, OneTimeCodesOptions } from './options.js';
export { ONE_TIME_CODE_DEFAULTS, type OneTimeCodePolicy } from './policy.js';
export { type OneTimeCodesRefusalCode, refusals } from './refusals.js';
