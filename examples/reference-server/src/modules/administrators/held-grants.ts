import { PermissionDeniedError } from '@sallyport/auth-tokens';
import { inArray } from 'drizzle-orm';
import { GrantNotHeldError, RoleUnknownError } from '../../http/errors.js';
import type { Queries } from '../../storage/database.js';
import { holdsGrant } from '../roles/grants.js';
import { roles } from '../roles/table.js';
import { readGrants } from './administrators.js';

/**
 * Nobody grants, takes away or stands in for what he doesn't hold himself. The grants are those of this transaction: of
 * somebody who lost his rights since his request was let in, nothing is taken.
 *
 * @throws {GrantNotHeldError}
 */
export async function assertHolds(transaction: Queries, actorId: string, grants: readonly string[]): Promise<void> {
  const held = await readGrants(transaction, actorId);
  if (held.length === 0) throw new PermissionDeniedError();
  if (!grants.every((grant) => holdsGrant(held, grant))) throw new GrantNotHeldError();
}

/**
 * What the roles grant together, whoever has them: a disabled account counts with all that it would have.
 *
 * @throws {RoleUnknownError} unless there is every one of them
 */
export async function grantsOfRoles(transaction: Queries, roleIds: readonly string[]): Promise<string[]> {
  if (roleIds.length === 0) return [];
  const found = await transaction
    .select({ permissions: roles.permissions })
    .from(roles)
    .where(inArray(roles.id, [...roleIds]));
  if (found.length !== roleIds.length) throw new RoleUnknownError();
  return found.flatMap(({ permissions }) => permissions);
}
