import { administratorsTable, normalizeUsername } from './modules/administrators/index.js';
import { appUsersTable } from './modules/app-users/index.js';
import { renewAccount, type UsedAccounts } from './modules/inactivity/index.js';
import type { AccountTables } from './modules/second-factors/index.js';
import type { Changes } from './storage/changes.js';

/** The tables of the accounts, for the modules that serve both audiences. */
export const accountTables: AccountTables & UsedAccounts = {
  admin: { table: administratorsTable, ...administratorsTable, name: administratorsTable.username },
  app: { table: appUsersTable, ...appUsersTable, name: appUsersTable.mobile },
};

/** Lets an account that nobody has used for long sign in again, for the operator of the machine (PWD-7). */
export function renewalBy(changes: Changes) {
  return async ({ audience, username }: { audience: 'admin' | 'app'; username: string }): Promise<void> => {
    const name = audience === 'admin' ? normalizeUsername(username) : username;
    const event = { action: 'account.renew', actor: 'command:unlock', target: name };
    await changes.change({ event }, (transaction) => renewAccount(accountTables)(transaction, audience, name));
  };
}
