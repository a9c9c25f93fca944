import { AccountGoneError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import type { Administrators } from '../administrators/index.js';
import { OldPasswordWrongError, type PasswordHashing, PasswordReusedError, refuseReused } from '../passwords/index.js';

interface OwnPasswordDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'knownHashes' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  /**
   * Runs a verification under the login policy, by the name of the account. Null if it failed and was counted. Rejects
   * without running it if the name is locked.
   */
  readonly attempt: (username: string, verify: () => Promise<boolean>) => Promise<true | null>;
  readonly runChange: RunChange;
  /** Rejects if the new password is no digest or too easy to guess (PWD-4, PWD-6). */
  readonly checkNew: (password: string, owner: { readonly username: string }) => Promise<void>;
  /** The number of latest passwords that a new one must not equal (PWD-7). 0: the present one alone. */
  readonly historyCount: number;
  /** Ends all sessions of the account, and its device tokens. Rejects if they can't be ended. */
  readonly endSessions: (username: string) => Promise<unknown>;
}

interface PasswordChange {
  readonly id: string;
  readonly oldPassword: string;
  readonly newPassword: string;
  /** The client whose quota of password tasks is used. */
  readonly client: string;
}

/**
 * The self-service change of a password (USR-2). The sessions are ended before the change, so that it is not made if
 * they can't be ended, and again after it, for sign-ins with the old password in between.
 *
 * A wrong old password counts as a failed sign-in, and a right one as a sign-in: a stolen session gives no additional
 * guesses.
 *
 * @throws {OldPasswordWrongError} also if the old password was replaced since it was checked
 */
export async function changeOwnPassword(
  { administrators, passwords, attempt, checkNew, historyCount, runChange, endSessions }: OwnPasswordDependencies,
  { id, oldPassword, newPassword, client }: PasswordChange,
): Promise<void> {
  const account = await administrators.findById(id);
  if (account === null || account.disabled) throw new AccountGoneError();
  await checkNew(newPassword, { username: account.username });
  const verified = await attempt(account.username, () => passwords.verify(oldPassword, account.passwordHash, client));
  if (verified === null) throw new OldPasswordWrongError();
  // A change that is due would otherwise be no change (PWD-7).
  if (newPassword === oldPassword) throw new PasswordReusedError();
  const from = account.passwordHash;
  if (historyCount > 0) {
    const known = await administrators.knownHashes(id);
    // Another hash than the one that was verified: the change would be refused, too.
    if (known?.passwordHash !== from) throw new OldPasswordWrongError();
    await refuseReused(passwords, newPassword, known, { count: historyCount, client });
  }
  const passwordHash = await passwords.hash(newPassword, client);
  await endSessions(account.username);
  await runChange(async (transaction) => {
    const changed = await administrators.changePassword(transaction, id, { from, to: passwordHash, historyCount });
    if (!changed) throw new OldPasswordWrongError();
  });
  await endSessions(account.username);
}
