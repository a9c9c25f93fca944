import { AccountGoneError, OldPasswordWrongError } from '../../http/errors.js';
import type { Administrators } from '../administrators/administrators.js';
import type { PasswordHashing } from '../passwords/password-hashing.js';

interface OwnPasswordParts {
  readonly administrators: Pick<Administrators, 'findById' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  /** Ends all sessions of the account. Rejects when they can't be ended. */
  readonly endSessions: () => Promise<unknown>;
}

interface PasswordChange {
  readonly id: string;
  readonly oldPassword: string;
  readonly newPassword: string;
}

/**
 * The self-service change (USR-2). The sessions are ended before it, so that it isn't made where they can't be, and after
 * it, for a sign-in with the old password that came between.
 *
 * @throws {OldPasswordWrongError} also when the old password has been replaced since it was checked
 */
export async function changeOwnPassword(
  { administrators, passwords, endSessions }: OwnPasswordParts,
  { id, oldPassword, newPassword }: PasswordChange,
): Promise<void> {
  const account = await administrators.findById(id);
  if (account === null || account.disabled) throw new AccountGoneError();
  if (!(await passwords.verify(oldPassword, account.passwordHash))) throw new OldPasswordWrongError();
  const passwordHash = await passwords.hash(newPassword);
  await endSessions();
  const changed = await administrators.changePassword(id, account.passwordHash, passwordHash);
  if (!changed) throw new OldPasswordWrongError();
  await endSessions();
}
