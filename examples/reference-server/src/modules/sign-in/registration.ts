import { v7 as uuidv7 } from 'uuid';
import type { RunChange } from '../../storage/changes.js';
import { administratorsTable, keepSkeleton, normalizeUsername, UsernameTakenError } from '../administrators/index.js';
import type { PasswordHashing } from '../passwords/index.js';

interface RegistrationDependencies {
  readonly runChange: RunChange;
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
 * Registers an account without a role (USR-3). Registration unavoidably reveals whether a name is taken, but only after
 * the same work as a successful one.
 *
 * @param client the client whose quota of password tasks is used
 * @throws {UsernameTakenError}
 */
export async function register(
  { runChange, passwords }: RegistrationDependencies,
  { username, password, displayName }: Registration,
  client: string,
): Promise<RegisteredAccount> {
  const passwordHash = await passwords.hash(password, client);
  return runChange(async function registerAdministrator(transaction, record) {
    const [added] = await transaction
      .insert(administratorsTable)
      .values({ id: uuidv7(), username: normalizeUsername(username), displayName, passwordHash })
      .onConflictDoNothing({ target: administratorsTable.username })
      .returning({
        id: administratorsTable.id,
        username: administratorsTable.username,
        displayName: administratorsTable.displayName,
      });
    if (added === undefined) throw new UsernameTakenError();
    // The name of a stranger must not look like another one (USR-6).
    if ((await keepSkeleton(transaction, added, false)) !== null) throw new UsernameTakenError();
    const { id, ...account } = added;
    record({ target: account.username, detail: { id } });
    return account;
  });
}
