export { createKeyCheck } from './key-check.js';
export { createSecretBox, type SecretKey } from './secret-box.js';
