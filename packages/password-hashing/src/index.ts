export { PasswordHashingBusyError, PasswordHashingSetupError } from './errors.js';
export { isHashable } from './hashable-password.js';
export { PASSWORD_HASHING_DEFAULTS, type PasswordHashingLog, type PasswordHashingOptions } from './options.js';
export { createPasswordHashing, type PasswordHashing } from './password-hashing.js';
export { type PasswordHashingRefusalCode, refusals } from './refusals.js';
