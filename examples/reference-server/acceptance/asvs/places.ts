/** Where the tests are, from the root of the repository. */
export const SERVER = 'examples/reference-server/test';
export const CONSOLE = 'examples/admin-console/test';
export const UPLOADS = 'packages/upload-policy/test';
export const LOGIN = 'packages/login-policy/test';
export const HASHING = 'packages/password-hashing/test';
export const CODES = 'packages/one-time-codes/test';
export const FACTORS = 'packages/second-factor/test';
export const TOKENS = 'packages/auth-tokens/test';
export const ENVELOPES = 'packages/envelope-crypto/test';
export const AUDIT = 'packages/audit-log/test';
export const REPOSITORY = 'scripts/test';
