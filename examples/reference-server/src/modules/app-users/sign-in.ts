import type { RunEvent } from '../../storage/changes.js';
import { type PasswordHashing, rehash } from '../passwords/index.js';
import type { AppUser, AppUsers } from './app-users.js';

export interface AppSignInDependencies {
  readonly users: Pick<AppUsers, 'findByMobile' | 'findById' | 'add' | 'replaceHash'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash' | 'isOutdated'>;
}

/** The dependencies of one sign-in. */
export interface AppSignInCheck extends AppSignInDependencies {
  readonly runEvent: RunEvent;
}

/**
 * Finds the user for a password, or null (APP-2, APP-3). The work is the same for numbers with and without a user. A
 * disabled user counts as unknown.
 *
 * @param client the client whose quota of password tasks is used
 */
export async function checkAppPassword(
  { users, passwords, runEvent }: AppSignInCheck,
  { mobile, password }: { readonly mobile: string; readonly password: string },
  client: string,
): Promise<AppUser | null> {
  const user = await users.findByMobile(mobile);
  const matches = await passwords.verify(password, user?.passwordHash ?? null, client);
  if (user === null || !matches || user.disabled) return null;
  const storedHash = user.passwordHash as string;
  const passwordHash = await rehash(passwords, { password, storedHash, client });
  if (passwordHash === null) return user;
  await runEvent({ action: 'password.rehash', target: user.mobile }, (transaction) =>
    users.replaceHash(transaction, user.id, storedHash, passwordHash),
  );
  return { ...user, passwordHash };
}

/**
 * The user of a number whose code was used. The user is added if there is none (APP-3). Null if the user is disabled.
 */
export async function userOfCode(
  check: Pick<AppSignInCheck, 'users' | 'runEvent'>,
  mobile: string,
): Promise<AppUser | null> {
  const user = await findOrAdd(check, mobile);
  return user.disabled ? null : user;
}

/** Another sign-in with the same number has added the user, so the change is rolled back. */
class NumberTakenError extends Error {
  override readonly name = 'NumberTakenError';
}

/** One of several parallel sign-ins adds the user, and all return it (APP-3). */
async function findOrAdd({ users, runEvent }: Pick<AppSignInCheck, 'users' | 'runEvent'>, mobile: string) {
  const known = await users.findByMobile(mobile);
  if (known !== null) return known;
  try {
    return await runEvent({ action: 'app-user.create', target: mobile }, async (transaction, record) => {
      const added = await users.add(transaction, mobile);
      if (added === null) throw new NumberTakenError();
      // The target is masked, so it names no row.
      record({ detail: { id: added.id } });
      return added;
    });
  } catch (error) {
    const other = error instanceof NumberTakenError ? await users.findByMobile(mobile) : null;
    if (other === null) throw error;
    return other;
  }
}

/**
 * Checks again, once the session exists, that the password or account has not changed since the credentials were
 * checked. A different hash may belong to the same password, if a parallel sign-in has written it, so it is verified. A
 * code needs no second check, because it is used up.
 */
export async function isStillEntitled(
  { users, passwords }: Pick<AppSignInDependencies, 'users' | 'passwords'>,
  signedIn: AppUser,
  password: string | undefined,
): Promise<boolean> {
  const user = await users.findById(signedIn.id);
  if (user === null || user.disabled) return false;
  if (password === undefined || user.passwordHash === signedIn.passwordHash) return true;
  return passwords.verify(password, user.passwordHash);
}
