import type { RightCode } from '@sallyport/one-time-codes';
import { AccountGoneError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import { SmsCodeWrongError } from '../one-time-codes/index.js';
import { OldPasswordWrongError, type PasswordHashing, PasswordReusedError, refuseReused } from '../passwords/index.js';
import type { AppUser, AppUsers } from './app-users.js';

interface AppPasswordDependencies {
  readonly users: Pick<AppUsers, 'findById' | 'knownHashes' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  /**
   * Runs a verification under the login policy, by the number. Null if it failed and was counted. Rejects without
   * running it if the number is locked.
   */
  readonly attempt: (mobile: string, verify: () => Promise<boolean>) => Promise<true | null>;
  readonly runChange: RunChange;
  /** Rejects if the new password is no digest or too easy to guess (PWD-4, PWD-6). */
  readonly checkNew: (password: string, owner: { readonly mobile: string }) => Promise<void>;
  /** The number of latest passwords that a new one must not equal (PWD-7). 0: the given old one alone. */
  readonly historyCount: number;
  /** Ends all sessions of the user, and the device tokens of the number. Rejects if they can't be ended. */
  readonly endSessions: (mobile: string) => Promise<unknown>;
}

/** Requires the old password, the code, or both. */
interface AppPasswordChange {
  readonly id: string;
  readonly newPassword: string;
  readonly oldPassword?: string | undefined;
  /** Checks the code of the request. Absent if the request has none. Called after the old password. */
  readonly checkCode?: ((mobile: string) => Promise<RightCode | null>) | undefined;
  /** The client whose quota of password tasks is used. */
  readonly client: string;
}

/**
 * Sets or changes the password of an app user. A session alone is not enough, because a stolen session could then take
 * over the account. The user also needs the old password or a code sent to the number. A wrong old password counts as a
 * failed sign-in, and a right one as a sign-in (USR-2): a stolen session is no other way to guess.
 *
 * The sessions are ended before the change, so that it is not made if they can't be ended, and again after it, for
 * sign-ins that completed in between.
 */
export async function setAppPassword(dependencies: AppPasswordDependencies, change: AppPasswordChange): Promise<void> {
  const { users, passwords, historyCount, runChange, endSessions } = dependencies;
  const user = await users.findById(change.id);
  if (user === null) throw new AccountGoneError();
  await dependencies.checkNew(change.newPassword, { mobile: user.mobile });
  const redeem = await prove(dependencies, user, change);
  const { passwordHash: from } = user;
  if (historyCount > 0) {
    const known = await users.knownHashes(user.id);
    // Another hash than the one that was verified: the change would be refused, too.
    if (known?.passwordHash !== from) throw new OldPasswordWrongError();
    await refuseReused(passwords, change.newPassword, known, { count: historyCount, client: change.client });
  }
  // Done before the code is used up, so that a client that has to come back later still has it.
  const passwordHash = await passwords.hash(change.newPassword, change.client);
  if (!(await redeem())) throw new SmsCodeWrongError();
  await endSessions(user.mobile);
  await runChange(async (transaction) => {
    const changed = await users.changePassword(transaction, user.id, { from, to: passwordHash, historyCount });
    if (!changed) throw new OldPasswordWrongError();
  });
  await endSessions(user.mobile);
}

/** Resolves to the function that uses the code up, if there is a code. */
async function prove(
  { passwords, attempt }: Pick<AppPasswordDependencies, 'passwords' | 'attempt'>,
  { mobile, passwordHash }: AppUser,
  { oldPassword, newPassword, checkCode, client }: AppPasswordChange,
): Promise<() => Promise<boolean>> {
  if (oldPassword !== undefined) {
    const verified = await attempt(mobile, () => passwords.verify(oldPassword, passwordHash, client));
    if (verified === null) throw new OldPasswordWrongError();
    // A change that is due would otherwise be no change (PWD-7).
    if (newPassword === oldPassword) throw new PasswordReusedError();
  }
  if (checkCode === undefined) return async () => true;
  const code = await checkCode(mobile);
  if (code === null) throw new SmsCodeWrongError();
  return () => code.redeem();
}
