import type { Changes } from '../../storage/changes.js';
import { administratorsTable, normalizeUsername } from '../administrators/index.js';
import { appUsersTable } from '../app-users/index.js';
import { renewAccount, type UsedAccounts } from '../inactivity/index.js';
import type { AccountTables } from '../second-factors/index.js';

/** The tables of the accounts, for the modules that serve both audiences. */
export const accountTables: AccountTables & UsedAccounts = {
  admin: {
    table: administratorsTable,
    ...administratorsTable,
    name: administratorsTable.username,
    normalizeName: normalizeUsername,
  },
  app: { table: appUsersTable, ...appUsersTable, name: appUsersTable.mobile, normalizeName: (mobile) => mobile },
};

/** Nothing to renew, so that the change is rolled back with its record. */
class NotRenewedError extends Error {
  override readonly name = 'NotRenewedError';
}

/** Lets an account that nobody has used for long sign in again, for the operator of the machine (PWD-7). */
export function renewalBy(changes: Changes) {
  return async ({ audience, username }: { audience: 'admin' | 'app'; username: string }): Promise<void> => {
    const name = accountTables[audience].normalizeName(username);
    const event = { action: 'account.renew', actor: 'command:unlock', target: name };
    try {
      await changes.change({ event }, async (transaction) => {
        if (!(await renewAccount(accountTables)(transaction, audience, name))) throw new NotRenewedError();
      });
    } catch (error) {
      if (!(error instanceof NotRenewedError)) throw error;
    }
  };
}
