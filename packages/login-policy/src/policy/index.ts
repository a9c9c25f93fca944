export { excludesCaller, ipWhitelistFault } from './ip-whitelist.js';
export { loginPolicyParameters, MAX_POLICY_SECONDS } from './parameters.js';
export {
  createPolicyReader,
  LOGIN_POLICY_DEFAULTS,
  type LoginPolicy,
  loginPolicyFaults,
  policyRule,
  type ValidPolicy,
} from './policy.js';
