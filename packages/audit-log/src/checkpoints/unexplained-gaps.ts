import type { AuditGap } from '../notes/index.js';
import type { HistoryWatch } from './history-watch.js';
import { CheckpointRefusedError } from './signed-head.js';

/** The time within which another node has to name the rows that the database lost, in milliseconds. */
const EXPLANATION_MILLIS = 5000;

/**
 * Refuses to sign over unexplained missing rows. After a loss, the node that knew the lost rows continues after them
 * and names them in its next checkpoint. Any other gap was made by a deletion.
 *
 * Rejects with {@link CheckpointRefusedError}.
 */
export function createGapRefusal(
  history: Pick<HistoryWatch, 'named' | 'examine' | 'noteDeleted'>,
  now: () => number,
): (gap: AuditGap) => Promise<void> {
  /** The gap at which the last attempt ended. */
  let last: { readonly from: number; readonly since: number } | null = null;
  const isNamed = (gap: AuditGap) => history.named.some(({ from, to }) => from <= gap.to && gap.from <= to);

  return async (gap) => {
    if (isNamed(gap)) return;
    await history.examine();
    if (isNamed(gap)) return;
    if (last?.from !== gap.from) last = { from: gap.from, since: now() };
    else if (now() - last.since >= EXPLANATION_MILLIS) history.noteDeleted(gap);
    throw new CheckpointRefusedError(gap.from, 'rows are missing before others, and no node names them as lost');
  };
}
