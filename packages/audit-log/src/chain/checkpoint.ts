/**
 * `progress`: the chain had come this far. `cut`: retention deletes everything up to here, and verification goes on
 * behind it.
 */
export type CheckpointKind = 'progress' | 'cut';

export interface CheckpointContent {
  readonly kind: CheckpointKind;
  /** The sequence of the last row that it vouches for. */
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
 * What is written to a second place, where those who can write to the database can't write: only against it can the
 * loss of the newest rows be shown. The signature is keyed, as the rows are.
 */
export interface Checkpoint extends CheckpointContent {
  readonly signature: string;
}

/** A checkpoint read from elsewhere, or null where it is none. Whether it is genuine only the key says. */
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
