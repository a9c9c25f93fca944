import { PermissionDeniedError } from '@sallyport/auth-tokens';
import { and, arrayContains, eq, inArray, sql } from 'drizzle-orm';
import { type Database, inTransaction, type Queries } from '../../storage/database.js';
import {
  type AccessChange,
  type AccessControl,
  GrantNotHeldError,
  holdsGrant,
  LastFullAdministratorError,
  RoleUnknownError,
  rolesTable,
} from '../roles/index.js';
import { administratorRoles, administrators } from './table.js';

/** What the module of roles asks of the one that knows who has which role. */
export function createAccessControl(database: Pick<Database, 'orm'>): AccessControl {
  return {
    change: (change) => changeAccess(database, change),
    assertHolds,
    async isAssigned(transaction, roleId) {
      const held = transaction.select().from(administratorRoles).where(eq(administratorRoles.roleId, roleId)).limit(1);
      return (await held).length > 0;
    },
  };
}

/** Advisory lock on who may do what: any number, the same in every node ('SPAC' in ASCII). */
const ACCESS_LOCK = 0x53504143;

/** Makes a change of who may do what, all of it or nothing. */
export function changeAccess<Result>(database: Pick<Database, 'orm'>, change: AccessChange<Result>): Promise<Result> {
  return inTransaction(database, (transaction) => oneAtATime(transaction, change));
}

/** Rejects with whatever `changeAccess` would reject with; changes nothing. */
export async function rehearseAccessChange(
  database: Pick<Database, 'orm'>,
  change: AccessChange<unknown>,
): Promise<void> {
  const undo = new Error('only a rehearsal');
  const rehearsal = inTransaction(database, async function changeAndUndo(transaction) {
    await oneAtATime(transaction, change);
    throw undo;
  });
  await rehearsal.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

/**
 * One change at a time over all nodes: of two administrators who take each other's rights away, the second finds that
 * he has none. A change after which nobody holds every permission any more is refused (USR-1): what nobody holds nobody
 * could grant, ever again.
 */
async function oneAtATime<Result>(transaction: Queries, change: AccessChange<Result>): Promise<Result> {
  await transaction.execute(sql`select pg_advisory_xact_lock(${ACCESS_LOCK})`);
  const wasManageable = await hasFullAdministrator(transaction);
  const result = await change(transaction);
  if (wasManageable && !(await hasFullAdministrator(transaction))) throw new LastFullAdministratorError();
  return result;
}

async function hasFullAdministrator(transaction: Queries): Promise<boolean> {
  const found = await transaction
    .select({ id: administrators.id })
    .from(administrators)
    .innerJoin(administratorRoles, eq(administratorRoles.administratorId, administrators.id))
    .innerJoin(rolesTable, eq(rolesTable.id, administratorRoles.roleId))
    .where(and(eq(administrators.disabled, false), arrayContains(rolesTable.permissions, ['*'])))
    .limit(1);
  return found.length === 1;
}

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
    .select({ permissions: rolesTable.permissions })
    .from(rolesTable)
    .where(inArray(rolesTable.id, [...roleIds]));
  if (found.length !== roleIds.length) throw new RoleUnknownError();
  return found.flatMap(({ permissions }) => permissions);
}

/** The grants of all roles of an account; none when it is gone or disabled. */
export async function readGrants(orm: Queries, administratorId: string): Promise<string[]> {
  const rows = await orm
    .select({ permissions: rolesTable.permissions })
    .from(administrators)
    .innerJoin(administratorRoles, eq(administratorRoles.administratorId, administrators.id))
    .innerJoin(rolesTable, eq(rolesTable.id, administratorRoles.roleId))
    .where(and(eq(administrators.id, administratorId), eq(administrators.disabled, false)));
  return rows.flatMap(({ permissions }) => permissions);
}
