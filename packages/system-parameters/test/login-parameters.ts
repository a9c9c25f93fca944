import type { ParameterDefinitions } from '../src/index.js';

/** A table as a policy package exports one: plain data without types of this package. */
export const loginParameters = {
  failureWindowSeconds: {
    key: 'admin.auth.login.failure-window-seconds',
    type: 'LONG',
    default: 600,
    minimum: 1,
    maximum: 86_400,
    isPublic: false,
    description: 'Failure counting window, in seconds',
  },
  failureCount: {
    key: 'admin.auth.login.failure-count',
    type: 'LONG',
    default: 5,
    minimum: 1,
    maximum: 1000,
    isPublic: false,
    description: 'Failures within the window before the lock',
  },
  ipWhitelistEnabled: {
    key: 'admin.auth.login.ip-whitelist.enabled',
    type: 'BOOLEAN',
    default: false,
    fallback: true,
    isPublic: false,
    description: 'Whether the whitelist decides who may sign in',
  },
  ipWhitelistValues: {
    key: 'admin.auth.login.ip-whitelist.values',
    type: 'STRING',
    default: '',
    maxLength: 200,
    check: (value: string) => (/^[0-9a-f.:/, ]*$/.test(value) ? null : 'must be addresses and ranges'),
    isPublic: false,
    description: 'Single addresses and CIDR ranges, comma-separated',
  },
} as const satisfies ParameterDefinitions;

export const passwordParameters = {
  minLength: {
    key: 'admin.auth.password.min-length',
    type: 'INTEGER',
    default: 6,
    minimum: 1,
    maximum: 128,
    isPublic: true,
    description: 'Shortest password',
  },
  maxLength: {
    key: 'admin.auth.password.max-length',
    type: 'INTEGER',
    default: 32,
    minimum: 1,
    maximum: 128,
    isPublic: true,
    description: 'Longest password',
  },
  requireDigit: {
    key: 'admin.auth.password.require-digit',
    type: 'BOOLEAN',
    default: false,
    isPublic: true,
    description: 'Whether a digit is needed',
  },
} as const satisfies ParameterDefinitions;

export const FAILURE_COUNT = loginParameters.failureCount.key;
export const WHITELIST_ENABLED = loginParameters.ipWhitelistEnabled.key;
export const WHITELIST_VALUES = loginParameters.ipWhitelistValues.key;
export const MIN_LENGTH = passwordParameters.minLength.key;
export const MAX_LENGTH = passwordParameters.maxLength.key;

/** Rules as a policy package exports them. */
export const passwordRules = ({ minLength, maxLength }: { minLength: number; maxLength: number }) =>
  minLength > maxLength ? [`${MIN_LENGTH} must not exceed ${MAX_LENGTH}`] : [];

export const tables = [{ definitions: loginParameters }, { definitions: passwordParameters, rules: passwordRules }];
