import { sm3 } from '@sallyport/envelope-crypto/gm';
import type { Changes } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import { type PasswordHashing, whenNotBusy } from '../passwords/index.js';
import { createAdministrators } from './administrators.js';
import { addFullAdministrator } from './full-administrator.js';

/**
 * The documented test account of the development profile (USR-4). It is public knowledge, so production must not have
 * it.
 */
export const developmentAccount = {
  username: 'admin',
  password: 'sallyport-dev',
  displayName: 'Development administrator',
} as const;

/** The form in which clients send a password: its lower-case hex SM3 digest (ADM-7). */
export function passwordToSend(password: string): string {
  return Buffer.from(sm3(Buffer.from(password))).toString('hex');
}

/** Adds the account unless the database has one with this name. An existing account stays unchanged. */
export async function seedDevelopmentAccount(
  { database, changes }: { readonly database: ReadableDatabase; readonly changes: Changes },
  passwords: Pick<PasswordHashing, 'hash'>,
): Promise<void> {
  const { username, password, displayName } = developmentAccount;
  if ((await createAdministrators(database).findByUsername(username)) !== null) return;
  const passwordHash = await whenNotBusy(() => passwords.hash(passwordToSend(password)));
  const account = { username, displayName, passwordHash, isConfirmed: true, passwordIsInitial: false };
  await addFullAdministrator(changes, account, 'service:development');
}
