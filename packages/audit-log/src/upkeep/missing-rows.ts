import { type AnyCheckpoint, isSigned } from '../chain/index.js';
import { type AuditGap, type Checkpoint, mergeGaps, subtractGaps, unacceptedGaps } from '../notes/index.js';

/** Missing rows of a log, by what its checkpoints say of them. */
export interface MissingRows {
  /** Checkpoints name them as lost, and none shows that a later row survived. */
  readonly lost: readonly AuditGap[];
  /** An operator has accepted that they are missing. */
  readonly accepted: readonly AuditGap[];
  /** All others: somebody deleted them, as far as the checkpoints show. */
  readonly deleted: readonly AuditGap[];
}

/**
 * @param signed genuine checkpoints that count
 * @param contained genuine checkpoints whose row is in the log
 */
export function judgeMissing(
  missing: readonly AuditGap[],
  signed: readonly Checkpoint[],
  contained: readonly AnyCheckpoint[],
): MissingRows {
  const ofAcceptances = signed.filter(({ kind }) => kind === 'accepted').flatMap(({ gaps }) => gaps);
  // A loss takes the end of the log. Where the last row of a checkpoint is there, the rows before it were deleted.
  const survived = contained.flatMap((one) =>
    subtractGaps({ from: 1, to: one.sequence }, isSigned(one) ? one.gaps : []),
  );
  const named = unacceptedGaps(signed);
  const open = without(missing, ofAcceptances);
  const deleted = mergeGaps([...without(open, named), ...within(open, survived)]);
  return { lost: mergeGaps(without(named, deleted)), accepted: within(missing, ofAcceptances), deleted };
}

/** The parts of the gaps that are in none of the others. */
export function without(gaps: readonly AuditGap[], others: readonly AuditGap[]): AuditGap[] {
  return gaps.flatMap((gap) => subtractGaps(gap, others));
}

function within(gaps: readonly AuditGap[], others: readonly AuditGap[]): AuditGap[] {
  return without(gaps, without(gaps, others));
}
