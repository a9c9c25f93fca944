/**
 * What is wrong with a log:
 * - `changed`: a row isn't what was written, in at least one column.
 * - `deleted`: rows are missing between others, or before them.
 * - `inserted`: a row stands there that was never written.
 * - `reordered`: a row stands in the place of another.
 * - `replaced`: in the place of a row stands another genuine one: a copy, or one of another history of the log.
 * - `truncated`: the newest rows are missing.
 * - `head`: the head of the chain, or the note of the cut beside it, isn't what was written, such as set back.
 * - `checkpoint`: a checkpoint isn't genuine.
 * - `pending`: a record that waits for its place was never written, or isn't what was written. It has no sequence: 0.
 */
export type AuditFindingKind =
  | 'changed'
  | 'checkpoint'
  | 'deleted'
  | 'head'
  | 'inserted'
  | 'pending'
  | 'reordered'
  | 'replaced'
  | 'truncated';

export interface AuditFinding {
  readonly kind: AuditFindingKind;
  /** The row, or the first of several. */
  readonly sequence: number;
  /** The last of several rows; else the same. */
  readonly lastSequence: number;
  /** The id of the record in that row; null where there is none. */
  readonly id: string | null;
  /** For people: one sentence. */
  readonly detail: string;
}

export function finding(
  kind: AuditFindingKind,
  place: { readonly sequence: number; readonly lastSequence?: number; readonly id?: string | null },
  detail: string,
): AuditFinding {
  const { sequence, lastSequence = sequence, id = null } = place;
  return { kind, sequence, lastSequence, id, detail };
}
