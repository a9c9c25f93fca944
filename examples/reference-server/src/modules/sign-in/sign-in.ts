import { type Administrator, type Administrators, normalizeUsername } from '../administrators/index.js';
import type { PasswordHashing } from '../passwords/index.js';

export interface SignInDependencies {
  readonly administrators: Pick<Administrators, 'findByUsername' | 'findById' | 'replaceHash'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash' | 'isOutdated'>;
}

/**
 * The account that name and password belong to, or null. Unknown name, wrong password and disabled account are one
 * outcome after the same work (ADM-3).
 *
 * @param client whose turn at the password workers it is
 */
export async function checkSignIn(
  { administrators, passwords }: SignInDependencies,
  { username, password }: { readonly username: string; readonly password: string },
  client: string,
): Promise<Administrator | null> {
  const account = await administrators.findByUsername(normalizeUsername(username));
  const matches = await passwords.verify(password, account?.passwordHash ?? null, client);
  if (account === null || !matches || account.disabled) return null;
  if (!passwords.isOutdated(account.passwordHash)) return account;
  const passwordHash = await passwords.hash(password);
  await administrators.replaceHash(account.id, account.passwordHash, passwordHash);
  return { ...account, passwordHash };
}

/**
 * Whether what the sign-in was judged by still holds: asked once more when its session is there, so that a password
 * change or a disabling in between is not overtaken.
 */
export async function isStillEntitled(
  administrators: Pick<Administrators, 'findById'>,
  signedIn: Administrator,
): Promise<boolean> {
  const account = await administrators.findById(signedIn.id);
  return account !== null && !account.disabled && account.passwordHash === signedIn.passwordHash;
}
