import { v7 as uuidv7 } from 'uuid';
import { VersionConflictError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import type { AppUsers } from './app-users.js';

interface RecoveryDependencies {
  readonly users: Pick<AppUsers, 'findByMobile' | 'setPassword'>;
  readonly runChange: RunChange;
  /** Ends all sessions of a user, and the device tokens of the number. Rejects if they can't be ended. */
  readonly endSessions: (id: string) => Promise<unknown>;
}

interface Recovery {
  readonly mobile: string;
  readonly passwordHash: string;
  /** The present hash with which the new password was compared. It must still be that one. Absent: any. */
  readonly from?: string | null | undefined;
  /** The number of latest passwords to know, with the new one (PWD-7). */
  readonly historyCount: number;
}

/**
 * Sets the password of the user with this number, whose code was used up (USR-5). A number without a user and a
 * disabled user change nothing and take the same steps.
 *
 * The sessions are ended before the change, so that it is not made if they can't be ended, and again after it, for
 * sign-ins that completed in between.
 *
 * @throws {VersionConflictError} if the password was changed since it was compared
 */
export async function recoverPassword(
  { users, runChange, endSessions }: RecoveryDependencies,
  { mobile, passwordHash: to, from, historyCount }: Recovery,
): Promise<void> {
  const user = await users.findByMobile(mobile);
  // An unused id ends no session and changes no row.
  const id = user === null || user.disabled ? uuidv7() : user.id;
  await endSessions(id);
  await runChange(async (transaction, record) => {
    const changed = await users.setPassword(transaction, id, { from, to, historyCount });
    if (!changed && from !== undefined) throw new VersionConflictError();
    record({ detail: { changed } });
  });
  await endSessions(id);
}
