import type { Config } from '../../config/config.js';
import { type App, defineModule } from '../../http/module.js';
import { openBreachedPasswords } from './breached-passwords.js';
import { passwordLimitParameterTable } from './limit-parameters.js';
import { newPasswordParameterTable, passwordRuleParameterTable } from './parameters.js';

export type { PasswordHashing } from '@sallyport/password-hashing';
export { openBreachedPasswords } from './breached-passwords.js';
export { countPasswordChange, passwordChangeLimit } from './change-limit.js';
export { clientDigest } from './client-digest.js';
export { OldPasswordWrongError, PasswordCommonError, PasswordNotHashedError, PasswordReusedError } from './errors.js';
export {
  adminRefusedCount,
  appRefusedCount,
  type PasswordLimits,
  passwordLimitParameters,
  readPasswordLimits,
} from './limit-parameters.js';
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
  async prepare(app: App, { config }: { readonly config: Config }) {
    const breached = await openBreachedPasswords(config);
    app.decorate('breachedPasswords', breached);
    app.addHook('onClose', () => breached?.close());
  },
});
