export {
  type CommonPasswords,
  type CommonPasswordsOptions,
  createCommonPasswords,
  type PasswordOwner,
} from './common-passwords.js';
export { CommonPasswordsSetupError } from './errors.js';
