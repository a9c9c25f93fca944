import { defineModule } from '../../http/module.js';
import { passwordRuleParameterTable } from './parameters.js';

export { OldPasswordWrongError, PasswordWorkersBusyError } from './errors.js';
export { createPasswordHashing, type PasswordHashing } from './password-hashing.js';
export { password } from './password-schema.js';

export const passwords = defineModule({ name: 'passwords', parameters: [passwordRuleParameterTable] });
