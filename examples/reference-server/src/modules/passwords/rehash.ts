import { type PasswordHashing, PasswordHashingBusyError } from '@sallyport/password-hashing';

/**
 * A new hash of a password that was just verified, if the stored one has a lower cost than new ones (ADM-7). Null if it
 * has not, or if the workers are busy. In that case the sign-in still succeeds, and the next one tries again.
 */
export async function rehash(
  passwords: Pick<PasswordHashing, 'hash' | 'isOutdated'>,
  { password, storedHash, client }: { readonly password: string; readonly storedHash: string; readonly client: string },
): Promise<string | null> {
  if (!passwords.isOutdated(storedHash)) return null;
  try {
    return await passwords.hash(password, client);
  } catch (error) {
    if (error instanceof PasswordHashingBusyError) return null;
    throw error;
  }
}
