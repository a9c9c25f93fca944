import type { SmsCodes } from '../one-time-codes/index.js';
import type { PasswordHashing } from '../passwords/index.js';
import type { AppUser, AppUsers } from './app-users.js';

export interface AppSignInDependencies {
  readonly users: Pick<AppUsers, 'findByMobile' | 'findById' | 'findOrAdd' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash' | 'isOutdated'>;
  readonly codes: Pick<SmsCodes, 'check'>;
}

/** At least one of password and code. */
export interface AppCredentials {
  /** In E.164. */
  readonly mobile: string;
  readonly password?: string | undefined;
  readonly smsCode?: string | undefined;
}

/**
 * The user whom the credentials belong to, or null (APP-2, APP-3). What is given must be right, both where both are;
 * the work is the same for numbers that have a user and numbers that don't. Only a right code alone makes a new user. A
 * disabled user is nobody.
 *
 * @param client whose turn at the password workers it is
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
  // Used up only where it opens the door.
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
 * Whether what the sign-in was judged by still holds: asked once more when its session is there. A code was used up, so
 * nothing of it can change.
 */
export async function isStillEntitled(
  users: Pick<AppUsers, 'findById'>,
  signedIn: AppUser,
  byPassword: boolean,
): Promise<boolean> {
  const user = await users.findById(signedIn.id);
  return user !== null && !user.disabled && (!byPassword || user.passwordHash === signedIn.passwordHash);
}
