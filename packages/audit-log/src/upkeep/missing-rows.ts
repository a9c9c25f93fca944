import { type AuditGap, type Checkpoint, mergeGaps, subtractGaps, unacceptedGaps } from '../notes/index.js';

/** Missing rows of a log, classified by its checkpoints. */
export interface MissingRows {
  /** Rows that checkpoints name as lost, without a checkpoint which shows that a later row survived. */
  readonly lost: readonly AuditGap[];
  /** Rows whose loss an operator has accepted. */
  readonly accepted: readonly AuditGap[];
  /** All other rows, which were deleted as far as the checkpoints show. */
  readonly deleted: readonly AuditGap[];
}

/**
 * @param signed genuine checkpoints that count
 * @param contained genuine checkpoints whose row is in the log
 */
export function judgeMissing(
  missing: readonly AuditGap[],
  signed: readonly Checkpoint[],
  contained: readonly Checkpoint[],
): MissingRows {
  const ofAcceptances = signed.filter(({ kind }) => kind === 'accepted').flatMap(({ gaps }) => gaps);
  // A loss removes the end of the log. If the last row of a checkpoint exists, missing rows before it were deleted.
  const survived = contained.flatMap(({ sequence, gaps }) => subtractGaps([{ from: 1, to: sequence }], gaps));
  const named = unacceptedGaps(signed);
  const open = subtractGaps(missing, ofAcceptances);
  const deleted = mergeGaps([...subtractGaps(open, named), ...within(open, survived)]);
  return { lost: mergeGaps(subtractGaps(named, deleted)), accepted: within(missing, ofAcceptances), deleted };
}

function within(gaps: readonly AuditGap[], others: readonly AuditGap[]): AuditGap[] {
  return subtractGaps(gaps, subtractGaps(gaps, others));
}
