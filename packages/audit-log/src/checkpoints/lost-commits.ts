import { type AcknowledgedRows, isSigned, readStoredCut } from '../chain/index.js';
import { type AuditGap, type CheckpointProof, mergeGaps } from '../notes/index.js';

/** The commits of one process that a log no longer has. */
export interface MissingCommits {
  /** No row that was acknowledged after them exists. The end of the log is lost. */
  readonly lost: readonly AuditGap[];
  /**
   * A row that was acknowledged later exists. No restart or failover explains this, because those lose the end of the
   * log.
   */
  readonly deleted: readonly AuditGap[];
}

/** @param end an existing row from before the loss; 0: none is known */
export function divideMissing(missing: readonly AcknowledgedRows[], end: number): MissingCommits {
  const gapsOf = (some: readonly AcknowledgedRows[]) =>
    mergeGaps(some.map(({ from, sequence }) => ({ from, to: sequence })));
  return {
    lost: gapsOf(missing.filter(({ sequence }) => sequence > end)),
    deleted: gapsOf(missing.filter(({ sequence }) => sequence <= end)),
  };
}

/**
 * The sequence of the last commit that is not missing. 0 if there is none.
 *
 * @param until the last commit that was certainly acknowledged before the loss; null: none
 */
export function lastSurvivor(
  commits: readonly AcknowledgedRows[],
  missing: readonly AcknowledgedRows[],
  until: AcknowledgedRows | null,
): number {
  const before = until === null ? [] : commits.slice(0, commits.indexOf(until) + 1);
  const gone = new Set(missing);
  return before.reduce((end, one) => (gone.has(one) ? end : Math.max(end, one.sequence)), 0);
}

/**
 * The last row that retention deleted. 0 if it deleted none. The stored cut is verified, because database users can
 * write it. One of an earlier release doesn't count, because this process has written no row before it.
 *
 * @param stateOf null: there are no checkpoints, and no key to verify the cut
 */
export function lastDeleted(storedCut: string | null, stateOf: CheckpointProof | null): number {
  const cut = storedCut === null ? null : readStoredCut(JSON.parse(storedCut));
  if (cut === null || !isSigned(cut) || cut.kind !== 'cut') return 0;
  return stateOf === null || stateOf(cut) === 'genuine' ? cut.sequence : 0;
}
