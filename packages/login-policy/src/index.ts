export type { AttemptOptions } from './attempt.js';
export type { ClearInput, ClearOutcome, StillLocked } from './clear.js';
export type { CounterKind, CounterStore } from './counters/index.js';
export {
  LoginIpRefusedError,
  LoginLockedError,
  LoginNameRefusedError,
  LoginPolicySetupError,
  LoginPolicyUnavailableError,
  type LoginRefusal,
  LoginTerminalRefusedError,
} from './errors.js';
export type { LoginPolicyEvent, LoginPolicyListener } from './events.js';
export type { CounterReport, ExplainInput, LoginExplanation } from './explain.js';
export type { LoginAccount, LoginSubject } from './login-account.js';
export { createLoginAttempts, type DeviceOwner, type LoginAttempts } from './login-attempts.js';
export {
  LOGIN_POLICY_OPTION_DEFAULTS,
  type LoginPolicyLog,
  type LoginPolicyOptions,
  type LoginPolicyPluginOptions,
} from './options.js';
export { loginPolicy, loginPolicy as default } from './plugin.js';
export {
  excludesCaller,
  ipWhitelistFault,
  LOGIN_POLICY_DEFAULTS,
  type LoginPolicy,
  loginPolicyFaults,
  loginPolicyParameters,
} from './policy/index.js';
export { type LoginPolicyRefusalCode, refusals } from './refusals.js';
export type { IsFailure, VerificationOutcome, Verified } from './verification.js';
