import { randomBytes } from 'node:crypto';
import type { Changes } from '../../storage/changes.js';
import { type PasswordHashing, whenNotBusy } from '../passwords/index.js';
import { passwordToSend } from './development-account.js';
import { UsernameLooksAlikeError } from './errors.js';
import { addFullAdministrator } from './full-administrator.js';
import { isUsername, normalizeUsername } from './username.js';

/** 120 random bits; 20 characters to type. */
const PASSWORD_BYTES = 15;

/** The account was not created. The command prints this message. */
class AccountNotMadeError extends Error {
  override readonly name = 'AccountNotMadeError';
}

interface GeneratedAccount {
  readonly username: string;
  /** Shown once. Only its hash is stored. */
  readonly password: string;
}

function refuseLookAlike(error: unknown): never {
  if (!(error instanceof UsernameLooksAlikeError)) throw error;
  throw new AccountNotMadeError(`The name ${error.errors[0]?.detail}. Choose another one, or give --confirm.`);
}

/**
 * Creates an administrator with every permission and a random password (USR-4). An existing account stays unchanged.
 *
 * @throws {AccountNotMadeError}
 */
export async function generateAccount(
  changes: Changes,
  passwords: Pick<PasswordHashing, 'hash'>,
  name: string,
  { isConfirmed = false }: { readonly isConfirmed?: boolean } = {},
): Promise<GeneratedAccount> {
  if (!isUsername(name)) throw new AccountNotMadeError('A user name has 1 to 64 characters, without invisible ones.');
  const username = normalizeUsername(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await whenNotBusy(() => passwords.hash(passwordToSend(password)));
  const account = { username, displayName: username, passwordHash, isConfirmed, passwordIsInitial: true };
  const added = await addFullAdministrator(changes, account, 'command:create-administrator').catch(refuseLookAlike);
  if (!added) throw new AccountNotMadeError(`There is an administrator '${username}' already. Nothing was changed.`);
  return { username, password };
}
