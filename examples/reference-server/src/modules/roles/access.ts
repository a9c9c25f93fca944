import type { Queries } from '../../storage/database.js';

/**
 * A change of accounts, roles, or of who has which. What it decides by, it reads in the transaction that it is given.
 */
export type AccessChange<Result> = (transaction: Queries) => Promise<Result>;

/** Who may do what, as the module of accounts keeps it: roles alone don't know who has them. */
export interface AccessControl {
  /**
   * Makes a change of who may do what, all of it or nothing, one at a time over all nodes.
   *
   * @throws {LastFullAdministratorError}
   */
  change<Result>(change: AccessChange<Result>): Promise<Result>;
  /** @throws {GrantNotHeldError} unless the actor holds every one of the grants */
  assertHolds(transaction: Queries, actorId: string, grants: readonly string[]): Promise<void>;
  /** Whether an administrator has the role. */
  isAssigned(transaction: Queries, roleId: string): Promise<boolean>;
}
