import type { Queries, Reading } from '../../storage/database.js';

/**
 * A change of accounts, of roles or of their assignment. It reads everything it depends on in its transaction.
 */
export type AccessChange<Result> = () => Promise<Result>;

/** Access rights, provided by the module of accounts: the roles module does not know who has a role. */
export interface AccessControl {
  /**
   * Makes the change in the transaction. Changes run one at a time across all nodes, and others wait for its end.
   *
   * @throws {LastFullAdministratorError}
   */
  change<Result>(transaction: Queries, actorId: string, change: AccessChange<Result>): Promise<Result>;
  /** @throws {GrantNotHeldError} unless the actor holds all of the grants */
  assertHolds(transaction: Queries, actorId: string, grants: readonly string[]): Promise<void>;
  /**
   * Checks that the actor may change an administrator's account or end its sessions. The actor must hold every grant of
   * the account, even if it is disabled. An account that does not exist holds none.
   *
   * @throws {GrantNotHeldError}
   */
  assertMayChange(queries: Reading, actorId: string, administratorId: string): Promise<void>;
  /** Whether any administrator has the role. */
  isAssigned(transaction: Queries, roleId: string): Promise<boolean>;
}
