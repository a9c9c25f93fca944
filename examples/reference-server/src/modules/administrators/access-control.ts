import { PermissionDeniedError } from '@sallyport/auth-tokens';
import { renderStatement, UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, arrayContains, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { confirmByGrants } from '../../protection/access-fence.js';
import { advisoryLockKey } from '../../storage/advisory-lock.js';
import type { RunChange } from '../../storage/changes.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
import { accessLocks } from '../../storage/session-ends.js';
import { isRefused } from '../inactivity/index.js';
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

/** From its end on, all nodes read grants again. If it rejects, the change of grants is rolled back. */
type Announce = () => Promise<void>;

/** The functions that the roles module needs from the module which assigns roles to administrators. */
export function createAccessControl(announce: Announce): AccessControl {
  return {
    change: (transaction, actorId, change) => changeAccess(transaction, actorId, change, announce),
    assertHolds,
    assertMayChange,
    async isAssigned(transaction, roleId) {
      const held = transaction.select().from(administratorRoles).where(eq(administratorRoles.roleId, roleId)).limit(1);
      return (await held).length > 0;
    },
  };
}

/** Advisory lock for changes of access rights. An arbitrary number, the same on every node ('SPAC' in ASCII). */
const ACCESS_LOCK = 0x53504143;
const ACCESS_LOCK_KEY = advisoryLockKey(ACCESS_LOCK);

/**
 * The time for which a change with that lock waits for another one. After that it fails, and the next one, such as a
 * reset, has its turn within the two seconds of its request. It is longer than a stopped node holds a lock.
 */
const MAX_LOCK_WAIT = '1300ms';

/** Rejects with the error of the change if it would fail, and changes nothing. */
export async function rehearse(
  runChange: RunChange,
  change: (transaction: Queries) => Promise<unknown>,
): Promise<void> {
  const undo = new Error('only a rehearsal');
  const rehearsal = runChange(async function changeAndUndo(transaction) {
    await change(transaction);
    throw undo;
  });
  await rehearsal.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

/**
 * Runs one change at a time across all nodes. If two administrators revoke each other's rights, the second change fails
 * because its actor no longer holds any. A change that leaves no administrator with every permission is refused
 * (USR-1): a permission that nobody holds could never be granted again.
 *
 * @param actorId null: a command, not an administrator
 */
export async function changeAccess<Result>(
  transaction: Queries,
  actorId: string | null,
  change: AccessChange<Result>,
  announce: Announce,
): Promise<Result> {
  await transaction.execute(sql`
    select pg_advisory_xact_lock(${ACCESS_LOCK_KEY}),
      set_config('lock_timeout', ${MAX_LOCK_WAIT}, true)`);
  if (actorId !== null) confirmByGrants(transaction, await readGrants(transaction, actorId));
  const wasManageable = await hasFullAdministrator(transaction);
  const result = await change();
  if (wasManageable && !(await hasFullAdministrator(transaction))) throw new LastFullAdministratorError();
  // A change that relied on the permissions is either committed before they are removed, or sees their removal
  // (TOK-13).
  const locking = transaction.execute(sql`select pg_advisory_xact_lock(${accessLocks.permissions()})`);
  for (const outcome of await Promise.allSettled([announce(), locking])) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
  return result;
}

/** Whether no change of access rights is under way that had begun before. It waits for none. */
export async function isAccessSettled({ reading }: ReadableDatabase): Promise<boolean> {
  const isFree = sql<boolean>`pg_try_advisory_xact_lock_shared(${ACCESS_LOCK_KEY})`;
  const [found] = await withinLimit(reading.select({ isFree }).from(sql`(values (0)) one`));
  return found!.isFree;
}

async function hasFullAdministrator(transaction: Queries): Promise<boolean> {
  const found = await transaction
    .select({ id: administrators.id })
    .from(administrators)
    .innerJoin(administratorRoles, eq(administratorRoles.administratorId, administrators.id))
    .innerJoin(rolesTable, eq(rolesTable.id, administratorRoles.roleId))
    .where(and(not(isRefused('admin', administrators)), arrayContains(rolesTable.permissions, ['*'])))
    .limit(1);
  return found.length === 1;
}

/**
 * Checks that the actor holds every grant that the account holds, even if it is disabled: otherwise, an actor could
 * change an account or end its sessions without holding its rights (USR-1, TOK-12).
 *
 * @throws {GrantNotHeldError}
 */
export async function assertMayChange(queries: Reading, actorId: string, administratorId: string): Promise<void> {
  const rows = await queries
    .select({ permissions: rolesTable.permissions })
    .from(administratorRoles)
    .innerJoin(rolesTable, eq(rolesTable.id, administratorRoles.roleId))
    .where(eq(administratorRoles.administratorId, administratorId));
  await assertHolds(
    queries,
    actorId,
    rows.flatMap(({ permissions }) => permissions),
  );
}

/**
 * Checks that the actor holds every grant that the change grants, revokes or depends on. The actor's own grants are
 * read in this transaction, so rights that were revoked after the request was authorized no longer count.
 *
 * @throws {GrantNotHeldError}
 */
export async function assertHolds(queries: Reading, actorId: string, grants: readonly string[]): Promise<void> {
  const held = await readGrants(queries, actorId);
  if (held.length === 0) throw new PermissionDeniedError();
  if (!grants.every((grant) => holdsGrant(held, grant))) throw new GrantNotHeldError();
}

/**
 * Reads the grants of the roles, including those of roles that disabled accounts have.
 *
 * @throws {RoleUnknownError} unless every role exists
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

/** The grants of all roles of an account. Empty if the account is disabled or does not exist. */
export async function readGrants(orm: Reading, administratorId: string): Promise<string[]> {
  return (await selectGrants(orm, { id: administratorId })).flatMap(({ permissions }) => permissions);
}

const grantsOf = (reading: Reading) =>
  reading
    .select({ permissions: rolesTable.permissions })
    .from(administrators)
    .innerJoin(administratorRoles, eq(administratorRoles.administratorId, administrators.id))
    .innerJoin(rolesTable, eq(rolesTable.id, administratorRoles.roleId))
    .where(and(eq(administrators.id, sql.placeholder('id')), not(administrators.disabled)));

const selectGrants = renderQuery((reading: Reading) => grantsOf(reading).prepare(UNNAMED));

/** The same with the placeholder `id`, as a query with one JSON list, for a statement that reads more. */
export const GRANTS_LIST = sql<string[]>`
  select coalesce(json_agg(code), '[]'::json)
  from ${grantsOf(new QueryBuilder() as unknown as Reading)} as held, unnest(held.permissions) as code`;

const grantsList = renderStatement<'id'>(GRANTS_LIST);

/** {@link GRANTS_LIST} of this account. */
export function grantsQuery(administratorId: string): SQL {
  return grantsList({ id: administratorId });
}

/** The roles that the accounts have. */
export async function rolesOf(queries: Reading, accounts: readonly { readonly roleIds: readonly string[] }[]) {
  const ids = [...new Set(accounts.flatMap(({ roleIds }) => roleIds))];
  if (ids.length === 0) return [];
  const { id, name, permissions } = rolesTable;
  return withinLimit(queries.select({ id, name, permissions }).from(rolesTable).where(inArray(id, ids)));
}
