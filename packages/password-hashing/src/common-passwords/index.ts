export {
  type CommonPasswords,
  type CommonPasswordsOptions,
  createCommonPasswords,
  MAX_WORDS,
  type PasswordOwner,
} from './common-passwords.js';
export { CommonPasswordsSetupError } from './errors.js';
