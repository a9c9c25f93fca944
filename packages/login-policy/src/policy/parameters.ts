import { ipWhitelistFault, MAX_WHITELIST_LENGTH } from './ip-whitelist.js';

/** A day. A longer lock is for an administrator to decide, who can disable the account. */
export const MAX_POLICY_SECONDS = 86_400;

/** NIST SP 800-63B, section 3.2.2 (rate limiting): at most 100 consecutive failed attempts on one account. */
const MAX_ACCOUNT_FAILURES = 100;

/** Enough for a large office behind one address. */
const MAX_IP_FAILURES = 10_000;

/**
 * The definitions of the login policy, as plain data for any table of dynamic parameters. Keys, types and defaults of
 * the first six are those of the interface document. Requirements LGN-1, LGN-6.
 */
export const loginPolicyParameters = {
  failureWindowSeconds: {
    key: 'admin.auth.login.failure-window-seconds',
    type: 'LONG',
    default: 600,
    minimum: 1,
    maximum: MAX_POLICY_SECONDS,
    isPublic: false,
    description: 'Failure counting window, seconds',
  },
  failureCount: {
    key: 'admin.auth.login.failure-count',
    type: 'LONG',
    default: 5,
    minimum: 1,
    maximum: MAX_ACCOUNT_FAILURES,
    isPublic: false,
    description: 'Maximum failures within the window',
  },
  lockSeconds: {
    key: 'admin.auth.login.lock-seconds',
    type: 'LONG',
    default: 600,
    minimum: 1,
    maximum: MAX_POLICY_SECONDS,
    isPublic: false,
    description: 'Temporary lock time after the failure count is reached, seconds',
  },
  failureIncludeIpEnabled: {
    key: 'admin.auth.login.failure.include-ip.enabled',
    type: 'BOOLEAN',
    default: true,
    isPublic: false,
    description: 'Count failures by username, terminal and client IP; off: by username and terminal',
  },
  ipWhitelistEnabled: {
    key: 'admin.auth.login.ip-whitelist.enabled',
    type: 'BOOLEAN',
    default: false,
    // Used while the stored value is unusable: an accident must not turn the whitelist off.
    fallback: true,
    isPublic: false,
    description: 'Enable the admin login IP whitelist',
  },
  ipWhitelistValues: {
    key: 'admin.auth.login.ip-whitelist.values',
    type: 'STRING',
    default: '',
    maxLength: MAX_WHITELIST_LENGTH,
    check: ipWhitelistFault,
    isPublic: false,
    description:
      'Single IPs or CIDR ranges, comma-separated; empty while the whitelist is enabled: all logins are refused',
  },
  accountFailureCount: {
    key: 'admin.auth.login.account-failure-count',
    type: 'LONG',
    default: 20,
    minimum: 0,
    maximum: MAX_ACCOUNT_FAILURES,
    isPublic: false,
    description:
      'Maximum failures within the window on one username and terminal, from all client IPs together; 0: no limit',
  },
  ipFailureCount: {
    key: 'admin.auth.login.ip-failure-count',
    type: 'LONG',
    default: 100,
    minimum: 0,
    maximum: MAX_IP_FAILURES,
    isPublic: false,
    description: 'Maximum failures within the window from one client IP, on all accounts together; 0: no limit',
  },
} as const;
