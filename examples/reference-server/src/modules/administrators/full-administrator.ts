import { arrayContains } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Changes } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';
import { rolesTable } from '../roles/index.js';
import { changeAccess } from './access-control.js';
import type { NewAdministrator } from './administrators.js';
import { UsernameTakenError } from './errors.js';
import { administratorRoles, administrators } from './table.js';

const ROLE_NAME = 'Full access';

/**
 * Adds an account with every permission unless its name is taken (USR-4). The first account is created this way.
 * Resolves to true if it was added. Atomic.
 *
 * @param actor who adds it, for the audit record
 */
export async function addFullAdministrator(
  changes: Changes,
  account: NewAdministrator,
  actor: string,
): Promise<boolean> {
  const id = uuidv7();
  async function addWithEveryPermission(transaction: Queries): Promise<void> {
    const added = await transaction
      .insert(administrators)
      .values({ ...account, id })
      .onConflictDoNothing({ target: administrators.username })
      .returning({ id: administrators.id });
    if (added.length === 0) throw new UsernameTakenError();
    const roleId = await fullAccessRole(transaction);
    await transaction.insert(administratorRoles).values({ administratorId: id, roleId });
  }
  const { username, displayName } = account;
  const event = { action: 'administrator.create', actor, target: id, parameters: { username, displayName } };
  try {
    await changes.change({ event }, (transaction) =>
      changeAccess(transaction, null, () => addWithEveryPermission(transaction)),
    );
    return true;
  } catch (error) {
    // Without an account there is nothing to record.
    if (error instanceof UsernameTakenError) return false;
    throw error;
  }
}

/** Finds the role by its grants. Its name may have been changed or given to another role. */
async function fullAccessRole(transaction: Queries): Promise<string> {
  const [found] = await transaction
    .select({ id: rolesTable.id })
    .from(rolesTable)
    .where(arrayContains(rolesTable.permissions, ['*']));
  if (found !== undefined) return found.id;
  const id = uuidv7();
  for (const name of [ROLE_NAME, `${ROLE_NAME} ${id}`]) {
    const added = await transaction
      .insert(rolesTable)
      .values({ id, name, permissions: ['*'] })
      .onConflictDoNothing({ target: rolesTable.name })
      .returning({ id: rolesTable.id });
    if (added.length === 1) break;
  }
  return id;
}
