import { PasswordHashingBusyError } from '@sallyport/password-hashing';

/** Each takes ten seconds at most (PWD-5). Only a machine that is much too busy starting up needs a second one. */
const MAX_ATTEMPTS = 15;

/** For hashing at the start and in commands, where nobody is there to try again. */
export async function whenNotBusy<Result>(hashing: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await hashing();
    } catch (error) {
      if (!(error instanceof PasswordHashingBusyError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
