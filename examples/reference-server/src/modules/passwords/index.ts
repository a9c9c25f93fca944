import { defineModule } from '../../http/module.js';
import { passwordRuleParameterTable } from './parameters.js';

export type { PasswordHashing } from '@sallyport/password-hashing';
export { OldPasswordWrongError } from './errors.js';
export { password } from './password-schema.js';
export { rehash } from './rehash.js';
export { openPasswordHashing } from './server-hashing.js';

export const passwords = defineModule({ name: 'passwords', parameters: [passwordRuleParameterTable] });
