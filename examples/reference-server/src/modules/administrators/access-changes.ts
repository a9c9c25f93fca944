import { and, arrayContains, eq, sql } from 'drizzle-orm';
import { LastFullAdministratorError } from '../../http/errors.js';
import { type Database, inTransaction, type Queries } from '../../storage/database.js';
import { roles } from '../roles/table.js';
import { administratorRoles, administrators } from './table.js';

/** Advisory lock on who may do what: any number, the same in every node ('SPAC' in ASCII). */
const ACCESS_LOCK = 0x53504143;

/** A change of accounts, roles, or of who has which. What it decides by, it reads in the transaction that it is given. */
export type AccessChange<Result> = (transaction: Queries) => Promise<Result>;

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
 * One change at a time over all nodes: of two administrators who take each other's rights away, the second finds that he
 * has none. A change after which nobody holds every permission any more is refused (USR-1): what nobody holds nobody
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
    .innerJoin(roles, eq(roles.id, administratorRoles.roleId))
    .where(and(eq(administrators.disabled, false), arrayContains(roles.permissions, ['*'])))
    .limit(1);
  return found.length === 1;
}
