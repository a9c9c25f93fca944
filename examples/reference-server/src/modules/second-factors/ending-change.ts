import type { ChangeWork, RunChange } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';

/** Rejects as the change would, and changes nothing. */
export type Rehearse = (runChange: RunChange, change: (transaction: Queries) => Promise<unknown>) => Promise<void>;

export interface EndingChange {
  readonly runChange: RunChange;
  readonly rehearse: Rehearse;
  /** Ends the sessions that the change leaves no right. Rejects if they can't be ended. */
  readonly end: () => Promise<void>;
}

/**
 * Makes a change after which some sessions may not go on. They are ended before it, so that it is not made if they
 * can't be ended and no crash leaves them, and again after it, for those that were opened in between. A refused change
 * ends none.
 */
export async function changeAndEnd(
  { runChange, rehearse, end }: EndingChange,
  change: ChangeWork<void>,
): Promise<void> {
  await rehearse(runChange, (transaction) => change(transaction, () => {}));
  await end();
  await runChange(change);
  await end();
}
