import { arrayContains } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Database, Queries } from '../../storage/database.js';
import { rolesTable } from '../roles/index.js';
import { changeAccess } from './access-control.js';
import type { NewAdministrator } from './administrators.js';
import { administratorRoles, administrators } from './table.js';

const ROLE_NAME = 'Full access';

/**
 * Adds an account with every permission unless its name is taken (USR-4). The first account is created this way.
 * Resolves to true if it was added. Atomic.
 */
export function addFullAdministrator(database: Pick<Database, 'orm'>, account: NewAdministrator): Promise<boolean> {
  return changeAccess(database, async function addWithEveryPermission(transaction) {
    const id = uuidv7();
    const added = await transaction
      .insert(administrators)
      .values({ ...account, id })
      .onConflictDoNothing({ target: administrators.username })
      .returning({ id: administrators.id });
    if (added.length === 0) return false;
    const roleId = await fullAccessRole(transaction);
    await transaction.insert(administratorRoles).values({ administratorId: id, roleId });
    return true;
  });
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
