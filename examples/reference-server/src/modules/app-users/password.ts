import { AccountGoneError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import { type SmsCodes, SmsCodeWrongError } from '../one-time-codes/index.js';
import { OldPasswordWrongError, type PasswordHashing } from '../passwords/index.js';
import type { AppUser, AppUsers } from './app-users.js';

interface AppPasswordDependencies {
  readonly users: Pick<AppUsers, 'findById' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  readonly codes: Pick<SmsCodes, 'check'>;
  /**
   * Runs a verification under the login policy, by the number: null if it failed, and was counted. Rejects without
   * running it if the number is locked.
   */
  readonly attempt: (mobile: string, verify: () => Promise<boolean>) => Promise<true | null>;
  readonly runChange: RunChange;
  /** Rejects if the new password is too easy to guess (PWD-4). */
  readonly refuseCommon: (password: string, owner: { readonly mobile: string }) => Promise<void>;
  /** Ends all sessions of the user. Rejects if they can't be ended. */
  readonly endSessions: () => Promise<unknown>;
}

/** Requires the old password, the code, or both. */
interface AppPasswordChange {
  readonly id: string;
  readonly newPassword: string;
  readonly oldPassword?: string | undefined;
  readonly smsCode?: string | undefined;
  /** Whose quota of password tasks is used. */
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
  const { users, passwords, runChange, endSessions } = dependencies;
  const user = await users.findById(change.id);
  if (user === null) throw new AccountGoneError();
  await dependencies.refuseCommon(change.newPassword, { mobile: user.mobile });
  await prove(dependencies, user, change);
  const passwordHash = await passwords.hash(change.newPassword, change.client);
  await endSessions();
  await runChange(async (transaction) => {
    const changed = await users.changePassword(transaction, user.id, user.passwordHash, passwordHash);
    if (!changed) throw new OldPasswordWrongError();
  });
  await endSessions();
}

async function prove(
  { passwords, codes, attempt }: Pick<AppPasswordDependencies, 'passwords' | 'codes' | 'attempt'>,
  { mobile, passwordHash }: AppUser,
  { oldPassword, smsCode, client }: AppPasswordChange,
): Promise<void> {
  if (oldPassword !== undefined) {
    const verified = await attempt(mobile, () => passwords.verify(oldPassword, passwordHash, client));
    if (verified === null) throw new OldPasswordWrongError();
  }
  if (smsCode === undefined) return;
  const right = await codes.check(mobile, smsCode);
  if (!(await right?.redeem())) throw new SmsCodeWrongError();
}
