/**
 * A checkpoint of releases before signed checkpoints: an HMAC with the key of the chain, as one JSON object. Such
 * checkpoints are no longer made. They are still read, so that a log which was cut by an earlier release can be
 * verified.
 */
export interface KeyedCheckpoint extends KeyedContent {
  readonly signature: string;
}

export interface KeyedContent {
  readonly kind: 'progress' | 'cut';
  /** The sequence of the last row that it covers. */
  readonly sequence: number;
  /** The mac of the last row. */
  readonly mac: string;
  /** The number of rows in the table up to the last row. */
  readonly count: number;
  /** The time of the checkpoint, in UTC: `2026-11-21T16:15:09.123Z`. */
  readonly at: string;
  /** The key that signed it. */
  readonly keyId: string;
}

/** The value as such a checkpoint, not verified yet. Null if it is not one. */
export function readKeyedCheckpoint(value: unknown): KeyedCheckpoint | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, sequence, mac, count, at, keyId, signature } = value as Record<string, unknown>;
  const isCheckpoint =
    (kind === 'progress' || kind === 'cut') &&
    isCount(sequence) &&
    isCount(count) &&
    [mac, at, keyId, signature].every((text) => typeof text === 'string');
  return isCheckpoint ? ({ kind, sequence, mac, count, at, keyId, signature } as KeyedCheckpoint) : null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
