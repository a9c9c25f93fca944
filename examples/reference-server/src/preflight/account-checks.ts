import { count, eq } from 'drizzle-orm';
import type { Config } from '../config/config.js';
import {
  type Administrator,
  administratorsTable,
  createAdministrators,
  developmentAccount,
  passwordToSend,
} from '../modules/administrators/index.js';
import { openPasswordHashing, whenNotBusy } from '../modules/passwords/index.js';
import type { StoreCheck } from './preflight-check.js';

/** USR-4: the account whose password the README documents. */
export const accounts: StoreCheck = {
  id: 'accounts',
  tables: ['administrators'],
  async *run({ config, stores: { database }, areTablesMissing }) {
    if (database === null || areTablesMissing) return;
    const { username, password } = developmentAccount;
    const found = await createAdministrators(database).findByUsername(username);
    if (found !== null && !found.disabled && (await hasPassword(config, found, passwordToSend(password)))) {
      yield {
        id: 'accounts.development',
        severity: 'error',
        finding: `the database holds the development account '${username}' with its documented password`,
        fix: 'change its password, disable or delete it, or use another database',
      };
    }
    const [enabled] = await database.orm
      .select({ total: count() })
      .from(administratorsTable)
      .where(eq(administratorsTable.disabled, false));
    if (enabled?.total === 0) {
      yield {
        id: 'accounts.none',
        severity: 'info',
        finding: 'no administrator exists: nobody can sign in',
        fix: 'create the first one with: node dist/commands/create-administrator.js --username NAME',
      };
    }
  },
};

/** A stored hash must not stop the preflight (PWD-3). */
async function hasPassword(config: Config, { passwordHash }: Administrator, password: string): Promise<boolean> {
  const passwords = openPasswordHashing(config, { threads: 1 });
  try {
    return await whenNotBusy(() => passwords.verify(password, passwordHash));
  } finally {
    await passwords.close();
  }
}
