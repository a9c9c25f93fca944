import { administratorsTable } from './modules/administrators/index.js';
import { appUsersTable } from './modules/app-users/index.js';
import type { AccountTables } from './modules/second-factors/index.js';

/** The tables of the accounts that have second factors. */
export const accountTables: AccountTables = {
  admin: { table: administratorsTable, ...administratorsTable, name: administratorsTable.username },
  app: { table: appUsersTable, ...appUsersTable, name: appUsersTable.mobile },
};
