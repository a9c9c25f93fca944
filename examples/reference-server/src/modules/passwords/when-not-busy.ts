import { PasswordHashingBusyError } from '@sallyport/password-hashing';

/**
 * The number of attempts. Each takes ten seconds at most (PWD-5). Only a very busy machine needs a second one at the
 * start.
 */
const MAX_ATTEMPTS = 15;

/** For hashing at the start and in commands, where no client can try again. */
export async function whenNotBusy<Result>(hashing: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await hashing();
    } catch (error) {
      if (!(error instanceof PasswordHashingBusyError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
