import { type PasswordHashing, PasswordHashingBusyError } from '@sallyport/password-hashing';

/** Each takes two seconds at most: on a machine that is busy starting up, a hash of BCrypt may need several. */
const MAX_ATTEMPTS = 15;

/** Hashes the password of the account that a start or a command creates. Nobody is there to try again. */
export async function hashFirstPassword(passwords: Pick<PasswordHashing, 'hash'>, password: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await passwords.hash(password);
    } catch (error) {
      if (!(error instanceof PasswordHashingBusyError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
