/**
 * `progress`: the chain had reached this row. `cut`: retention deletes everything up to this row, and verification
 * starts after it.
 */
export type CheckpointKind = 'progress' | 'cut';

export interface CheckpointContent {
  readonly kind: CheckpointKind;
  /** The sequence of the last row that it covers. */
  readonly sequence: number;
  /** The mac of that row. */
  readonly mac: string;
  /** How many rows the table held up to that one. */
  readonly count: number;
  /** When it was made, in UTC: `2026-11-21T16:15:09.123Z`. */
  readonly at: string;
  /** The key that signed it. */
  readonly keyId: string;
}

/**
 * A signed statement about the chain, for a second place that database users can't write to. Only a checkpoint shows
 * that the newest rows are missing. The signature is an HMAC with the key of the chain.
 */
export interface Checkpoint extends CheckpointContent {
  readonly signature: string;
}

/** The value as a checkpoint, not verified yet. Null where it is not one. */
export function readCheckpoint(value: unknown): Checkpoint | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, sequence, mac, count, at, keyId, signature } = value as Record<string, unknown>;
  const isCheckpoint =
    (kind === 'progress' || kind === 'cut') &&
    isCount(sequence) &&
    isCount(count) &&
    [mac, at, keyId, signature].every((text) => typeof text === 'string');
  return isCheckpoint ? ({ kind, sequence, mac, count, at, keyId, signature } as Checkpoint) : null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
