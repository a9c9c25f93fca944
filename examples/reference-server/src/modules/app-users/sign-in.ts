import type { SmsCodes } from '../one-time-codes/index.js';
import type { PasswordHashing } from '../passwords/index.js';
import type { AppUser, AppUsers } from './app-users.js';

export interface AppSignInDependencies {
  readonly users: Pick<AppUsers, 'findByMobile' | 'findById' | 'findOrAdd' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash' | 'isOutdated'>;
  readonly codes: Pick<SmsCodes, 'check'>;
}

/** Requires a password, a code, or both. */
export interface AppCredentials {
  /** In E.164. */
  readonly mobile: string;
  readonly password?: string | undefined;
  readonly smsCode?: string | undefined;
}

/**
 * Finds the user for the credentials, or null (APP-2, APP-3). Every credential that is given must be right. The work is
 * the same for numbers with and without a user. Only a right code without a password adds a user. A disabled user
 * counts as unknown.
 *
 * @param client whose quota of password tasks is used
 */
export async function checkAppSignIn(
  { users, passwords, codes }: AppSignInDependencies,
  { mobile, password, smsCode }: AppCredentials,
  client: string,
): Promise<AppUser | null> {
  const rightCode = smsCode === undefined ? null : await codes.check(mobile, smsCode);
  if (password === undefined) {
    const user = (await rightCode?.redeem()) ? await users.findOrAdd(mobile) : null;
    return user?.disabled ? null : user;
  }

  const user = await users.findByMobile(mobile);
  const matches = await passwords.verify(password, user?.passwordHash ?? null, client);
  if (user === null || !matches || user.disabled) return null;
  // Redeem the code last, so that a failed sign-in does not use it up.
  if (smsCode !== undefined && !(await rightCode?.redeem())) return null;
  return passwords.isOutdated(user.passwordHash as string) ? rehash({ users, passwords }, user, password) : user;
}

async function rehash(
  { users, passwords }: Pick<AppSignInDependencies, 'users' | 'passwords'>,
  user: AppUser,
  password: string,
): Promise<AppUser> {
  const passwordHash = await passwords.hash(password);
  const isReplaced = await users.changePassword(user.id, user.passwordHash, passwordHash);
  return isReplaced ? { ...user, passwordHash } : user;
}

/**
 * Checks again, once the session exists, that the password or account has not changed since the credentials were
 * checked. A code needs no second check: it is used up.
 */
export async function isStillEntitled(
  users: Pick<AppUsers, 'findById'>,
  signedIn: AppUser,
  byPassword: boolean,
): Promise<boolean> {
  const user = await users.findById(signedIn.id);
  return user !== null && !user.disabled && (!byPassword || user.passwordHash === signedIn.passwordHash);
}
