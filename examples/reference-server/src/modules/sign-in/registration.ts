import { v7 as uuidv7 } from 'uuid';
import { UsernameTakenError } from '../../http/errors.js';
import { type Completion, type Database, inTransaction } from '../../storage/database.js';
import { normalizeUsername } from '../administrators/administrators.js';
import { administrators } from '../administrators/table.js';
import type { PasswordHashing } from '../passwords/password-hashing.js';

interface RegistrationParts {
  readonly database: Pick<Database, 'orm'>;
  readonly passwords: Pick<PasswordHashing, 'hash'>;
}

interface Registration {
  readonly username: string;
  readonly password: string;
  readonly displayName: string;
}

interface RegisteredAccount {
  readonly username: string;
  readonly displayName: string;
}

/**
 * Makes an account that may do nothing until somebody gives it a role (USR-3). Whether a name is taken can't be hidden
 * from whoever wants to have it; it comes out only after the same work as a registration.
 *
 * @param client whose turn at the password workers it is
 * @throws {UsernameTakenError}
 */
export async function register(
  { database, passwords }: RegistrationParts,
  { username, password, displayName }: Registration,
  client: string,
  complete: Completion,
): Promise<RegisteredAccount> {
  const passwordHash = await passwords.hash(password, client);
  return inTransaction(database, async function registerAdministrator(transaction) {
    const [added] = await transaction
      .insert(administrators)
      .values({ id: uuidv7(), username: normalizeUsername(username), displayName, passwordHash })
      .onConflictDoNothing({ target: administrators.username })
      .returning({ username: administrators.username, displayName: administrators.displayName });
    if (added === undefined) throw new UsernameTakenError();
    await complete(transaction, added.username);
    return added;
  });
}
