/**
 * The kinds of faults of a log:
 * - `changed`: at least one column of a row was changed.
 * - `deleted`: rows are missing between others, or before them.
 * - `inserted`: a row was never written by the sink, or is in the log although retention has cut it off.
 * - `reordered`: a row has the sequence of another one.
 * - `replaced`: another genuine row has this sequence: a copy, or a row of another history of the log.
 * - `truncated`: the newest rows are missing.
 * - `head`: the head of the chain, or the cut stored with it, was changed.
 * - `checkpoint`: a checkpoint is not genuine.
 * - `pending`: a pending record was changed, or never written by the sink. Its sequence is 0.
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
  /** The sequence of the row, or of the first of several. */
  readonly sequence: number;
  /** The sequence of the last of several rows, otherwise equal to `sequence`. */
  readonly lastSequence: number;
  /** The id of the record in that row. Null if there is none. */
  readonly id: string | null;
  /** A sentence for people. */
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
