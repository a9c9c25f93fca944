import type { RunEvent } from '../../storage/changes.js';
import { type Administrator, type Administrators, normalizeUsername } from '../administrators/index.js';
import { type PasswordHashing, rehash } from '../passwords/index.js';

export interface SignInDependencies {
  readonly administrators: Pick<Administrators, 'findByUsername' | 'findById' | 'replaceHash'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash' | 'isOutdated'>;
}

/** The dependencies of one sign-in. */
export interface SignInCheck extends SignInDependencies {
  readonly runEvent: RunEvent;
}

/**
 * Finds the account for name and password, or null. Unknown name, wrong password and disabled account have the same
 * outcome after the same work (ADM-3).
 *
 * @param client the client whose quota of password tasks is used
 */
export async function checkSignIn(
  { administrators, passwords, runEvent }: SignInCheck,
  { username, password }: { readonly username: string; readonly password: string },
  client: string,
): Promise<Administrator | null> {
  const account = await administrators.findByUsername(normalizeUsername(username));
  const matches = await passwords.verify(password, account?.passwordHash ?? null, client);
  if (account === null || !matches || account.disabled) return null;
  const passwordHash = await rehash(passwords, { password, storedHash: account.passwordHash, client });
  if (passwordHash === null) return account;
  await runEvent({ action: 'password.rehash', target: account.username }, (transaction) =>
    administrators.replaceHash(transaction, account.id, account.passwordHash, passwordHash),
  );
  return { ...account, passwordHash };
}

/**
 * Checks again, once the session exists, that neither the password nor the account has changed since the credentials
 * were checked. A different hash may belong to the same password, if a parallel sign-in has written it, so it is
 * verified.
 */
export async function isStillEntitled(
  { administrators, passwords }: Pick<SignInDependencies, 'administrators' | 'passwords'>,
  signedIn: Administrator,
  password: string,
): Promise<boolean> {
  const account = await administrators.findById(signedIn.id);
  if (account === null || account.disabled) return false;
  return account.passwordHash === signedIn.passwordHash || passwords.verify(password, account.passwordHash);
}
