import { defineModule } from '../../http/module.js';
import { inactivityParameterTable } from './parameters.js';

export { isInactive, isRefused } from './inactive-account.js';
export { createSignInNotes, renewAccount, type UsedAccounts } from './sign-in-notes.js';

/** Accounts that nobody has used for long (PWD-7). */
export const inactivity = defineModule({ name: 'inactivity', parameters: [inactivityParameterTable] });
