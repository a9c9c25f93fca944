import { randomBytes } from 'node:crypto';
import type { Database } from '../../storage/database.js';
import type { PasswordHashing } from '../passwords/index.js';
import { passwordToSend } from './development-account.js';
import { addFullAdministrator } from './full-administrator.js';
import { isUsername, normalizeUsername } from './username.js';

/** 120 random bits, 20 characters to type. */
const PASSWORD_BYTES = 15;

/** No account was made. The message is for whoever ran the command. */
class AccountNotMadeError extends Error {
  override readonly name = 'AccountNotMadeError';
}

interface GeneratedAccount {
  readonly username: string;
  /** Shown once: only its hash is kept. */
  readonly password: string;
}

/**
 * Makes an administrator with every permission and a password of chance (USR-4). An account that is there stays as it
 * is.
 *
 * @throws {AccountNotMadeError}
 */
export async function generateAccount(
  database: Pick<Database, 'orm'>,
  passwords: Pick<PasswordHashing, 'hash'>,
  name: string,
): Promise<GeneratedAccount> {
  if (!isUsername(name)) throw new AccountNotMadeError('A user name has 1 to 64 characters, without invisible ones.');
  const username = normalizeUsername(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await passwords.hash(passwordToSend(password));
  const added = await addFullAdministrator(database, { username, displayName: username, passwordHash });
  if (!added) throw new AccountNotMadeError(`There is an administrator '${username}' already. Nothing was changed.`);
  return { username, password };
}
