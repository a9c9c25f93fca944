import { AccountGoneError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import type { Administrators } from '../administrators/index.js';
import { OldPasswordWrongError, type PasswordHashing } from '../passwords/index.js';

interface OwnPasswordDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  readonly runChange: RunChange;
  /** Ends all sessions of the account, and its device tokens. Rejects if they can't be ended. */
  readonly endSessions: (username: string) => Promise<unknown>;
}

interface PasswordChange {
  readonly id: string;
  readonly oldPassword: string;
  readonly newPassword: string;
}

/**
 * The self-service change of a password (USR-2). The sessions are ended before the change, so that it is not made if
 * they can't be ended, and again after it, for sign-ins with the old password in between.
 *
 * @throws {OldPasswordWrongError} also if the old password was replaced since it was checked
 */
export async function changeOwnPassword(
  { administrators, passwords, runChange, endSessions }: OwnPasswordDependencies,
  { id, oldPassword, newPassword }: PasswordChange,
): Promise<void> {
  const account = await administrators.findById(id);
  if (account === null || account.disabled) throw new AccountGoneError();
  if (!(await passwords.verify(oldPassword, account.passwordHash))) throw new OldPasswordWrongError();
  const passwordHash = await passwords.hash(newPassword);
  await endSessions(account.username);
  await runChange(async (transaction) => {
    const changed = await administrators.changePassword(transaction, id, account.passwordHash, passwordHash);
    if (!changed) throw new OldPasswordWrongError();
  });
  await endSessions(account.username);
}
