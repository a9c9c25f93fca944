import { defineModule } from '../../http/module.js';
import { passwordLimitParameterTable } from './limit-parameters.js';
import { newPasswordParameterTable, passwordRuleParameterTable } from './parameters.js';

export type { PasswordHashing } from '@sallyport/password-hashing';
export { OldPasswordWrongError, PasswordCommonError, PasswordNotHashedError, PasswordReusedError } from './errors.js';
export { type PasswordLimits, passwordLimitParameters, readPasswordLimits } from './limit-parameters.js';
export { checkNewPassword } from './new-password.js';
export { newPasswordParameters } from './parameters.js';
export { type KnownHashes, keptHashes, refuseReused } from './password-history.js';
export { password } from './password-schema.js';
export { rehash } from './rehash.js';
export { openOwnHashing, openPasswordHashing } from './server-hashing.js';
export { whenNotBusy } from './when-not-busy.js';

export const passwords = defineModule({
  name: 'passwords',
  parameters: [passwordRuleParameterTable, newPasswordParameterTable, passwordLimitParameterTable],
});
