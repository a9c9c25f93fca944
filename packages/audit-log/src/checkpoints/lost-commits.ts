import type { AcknowledgedRows } from '../chain/index.js';
import { type AuditGap, mergeGaps } from '../notes/index.js';

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
