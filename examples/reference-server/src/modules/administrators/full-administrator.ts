import { arrayContains } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Changes } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';
import { rolesTable } from '../roles/index.js';
import { changeAccess } from './access-control.js';
import type { NewAdministrator } from './administrators.js';
import { UsernameLooksAlikeError, UsernameTakenError } from './errors.js';
import { keepSkeleton } from './look-alikes.js';
import { administratorRoles, administrators } from './table.js';

const ROLE_NAME = 'Full access';

interface NewFullAdministrator extends NewAdministrator {
  /** The name may look like that of another account (USR-6). */
  readonly isConfirmed: boolean;
  /** The owner has to replace the password where a parameter demands it (PWD-7). */
  readonly passwordIsInitial: boolean;
}

/**
 * Adds an account with every permission unless its name is taken (USR-4). The first account is created this way.
 * Resolves to true if it was added. Atomic.
 *
 * @param actor who adds it, for the audit record
 * @throws {UsernameLooksAlikeError} unless it is confirmed
 */
export async function addFullAdministrator(
  changes: Changes,
  { isConfirmed, ...account }: NewFullAdministrator,
  actor: string,
): Promise<boolean> {
  const id = uuidv7();
  async function addWithEveryPermission(transaction: Queries): Promise<FullAccessRole & { other: string | null }> {
    const added = await transaction
      .insert(administrators)
      .values({ ...account, id })
      .onConflictDoNothing({ target: administrators.username })
      .returning({ id: administrators.id });
    if (added.length === 0) throw new UsernameTakenError();
    const other = await keepSkeleton(transaction, { ...account, id }, isConfirmed);
    if (other !== null && !isConfirmed) throw new UsernameLooksAlikeError(other);
    const role = await fullAccessRole(transaction);
    await transaction.insert(administratorRoles).values({ administratorId: id, roleId: role.id });
    return { ...role, other };
  }
  const { username, displayName } = account;
  const event = { action: 'administrator.create', actor, target: id };
  try {
    await changes.change({ event }, async (transaction, record) => {
      const role = await changeAccess(transaction, null, () => addWithEveryPermission(transaction), noAnnouncement);
      const { other } = role;
      const confirmed = other === null ? {} : { confirmed: `looks like ${other}` };
      record({ detail: { username, displayName, roleIds: [role.id], addedRole: role.added, ...confirmed } });
    });
    return true;
  } catch (error) {
    // Without an account there is nothing to record.
    if (error instanceof UsernameTakenError) return false;
    throw error;
  }
}

/** The account is new, so no node has kept its grants. */
async function noAnnouncement(): Promise<void> {}

interface FullAccessRole {
  readonly id: string;
  /** The role in the form of the audit record, if there was none yet. */
  readonly added: Pick<typeof rolesTable.$inferSelect, 'id' | 'name' | 'permissions'> | null;
}

/** Finds the role by its grants. Its name may have been changed or given to another role. */
async function fullAccessRole(transaction: Queries): Promise<FullAccessRole> {
  const [found] = await transaction
    .select({ id: rolesTable.id })
    .from(rolesTable)
    .where(arrayContains(rolesTable.permissions, ['*']));
  if (found !== undefined) return { id: found.id, added: null };
  const id = uuidv7();
  for (const name of [ROLE_NAME, `${ROLE_NAME} ${id}`]) {
    const added = await transaction
      .insert(rolesTable)
      .values({ id, name, permissions: ['*'] })
      .onConflictDoNothing({ target: rolesTable.name })
      .returning({ id: rolesTable.id, name: rolesTable.name, permissions: rolesTable.permissions });
    if (added[0] !== undefined) return { id, added: added[0] };
  }
  throw new Error('The name of a role that nobody knows yet is taken');
}
