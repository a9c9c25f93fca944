import type { Config } from '../../config/config.js';
import type { Changes } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import type { PasswordHashing } from '../passwords/index.js';
import { seedDevelopmentAccount } from './development-account.js';
import { keepMissingSkeletons } from './look-alikes.js';

interface AccountDependencies {
  readonly database: ReadableDatabase;
  readonly changes: Changes;
  readonly hashing: Pick<PasswordHashing, 'hash'>;
}

/** Prepares the accounts for the start: skeletons (USR-6), and in development the test account (USR-4). */
export async function prepareAccounts(
  { database, changes, hashing }: AccountDependencies,
  { profile }: Pick<Config, 'profile'>,
): Promise<void> {
  await keepMissingSkeletons(database, changes);
  if (profile === 'development') await seedDevelopmentAccount({ database, changes }, hashing);
}
