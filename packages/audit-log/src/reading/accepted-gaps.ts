import { type Checkpoint, mergeGaps, subtractGaps, unacceptedGaps } from '../notes/index.js';
import { type AuditFinding, finding } from './finding.js';

/**
 * The findings without the missing rows that an operator accepted, and with those that checkpoints name as lost and
 * nobody has accepted. A missing row outside of an accepted gap stays a finding. A row that was deleted within it later
 * contradicts the tree of the acceptance.
 *
 * @param signed genuine checkpoints that count
 * @param part the inspected rows
 */
export function withoutAccepted(
  findings: readonly AuditFinding[],
  signed: readonly Checkpoint[],
  part: { readonly after: number; readonly upTo: number | null },
): AuditFinding[] {
  const accepted = mergeGaps(signed.filter(({ kind }) => kind === 'accepted').flatMap(({ gaps }) => gaps));
  const left = findings.flatMap((one) => {
    if (one.kind !== 'deleted') return [one];
    const parts = subtractGaps([{ from: one.sequence, to: one.lastSequence }], accepted);
    return parts.map(({ from, to }) => finding('deleted', { sequence: from, lastSequence: to }, one.detail));
  });
  const missing = left
    .filter(({ kind }) => kind === 'deleted' || kind === 'truncated')
    .map(({ sequence, lastSequence }) => ({ from: sequence, to: lastSequence }));
  const outside = [
    { from: 0, to: part.after },
    ...(part.upTo === null ? [] : [{ from: part.upTo + 1, to: Number.MAX_SAFE_INTEGER }]),
  ];
  const lost = subtractGaps(unacceptedGaps(signed), [...missing, ...outside]);
  const detail = 'Checkpoints name these rows as acknowledged and lost, and other rows may have their sequences.';
  return [
    ...left,
    ...lost.map(({ from, to }) => finding('deleted', { sequence: from, lastSequence: to }, detail)),
  ].sort((one, other) => one.sequence - other.sequence);
}
