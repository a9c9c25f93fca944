import type { AcknowledgedRows } from '../chain/index.js';
import { type AuditGap, mergeGaps } from '../notes/index.js';

/** What a log no longer has of the commits of one process. */
export interface MissingCommits {
  /** Nothing that was acknowledged after them is there: the end of the log is lost. */
  readonly lost: readonly AuditGap[];
  /** A row that was acknowledged later is there: no restart or failover explains it, since those lose an end. */
  readonly deleted: readonly AuditGap[];
}

/** @param end a row that is there, and that is older than the loss; 0: none is known */
export function divideMissing(missing: readonly AcknowledgedRows[], end: number): MissingCommits {
  const gapsOf = (some: readonly AcknowledgedRows[]) =>
    mergeGaps(some.map(({ from, sequence }) => ({ from, to: sequence })));
  return {
    lost: gapsOf(missing.filter(({ sequence }) => sequence > end)),
    deleted: gapsOf(missing.filter(({ sequence }) => sequence <= end)),
  };
}

/**
 * The sequence of the last commit that is not missing; 0 where there is none.
 *
 * @param until the last commit that was surely acknowledged before the loss; null: none was
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
