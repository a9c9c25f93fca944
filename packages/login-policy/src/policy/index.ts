export { excludesCaller, ipWhitelistFault } from './ip-whitelist.js';
export { loginPolicyParameters, MAX_POLICY_SECONDS } from './parameters.js';
export {
  type CheckedPolicy,
  createPolicyReader,
  LOGIN_POLICY_DEFAULTS,
  type LoginPolicy,
  loginPolicyFaults,
} from './policy.js';
