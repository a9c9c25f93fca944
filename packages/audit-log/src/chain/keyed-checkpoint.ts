/**
 * The cut of a release before signed checkpoints: an HMAC with the key of the chain, as one JSON object. Such cuts are
 * no longer made. They are still read, so that a log which such a release has cut can be verified.
 */
export interface KeyedCheckpoint extends KeyedContent {
  readonly signature: string;
}

export interface KeyedContent {
  readonly kind: 'cut';
  /** The sequence of the last deleted row. */
  readonly sequence: number;
  /** The mac of that row. */
  readonly mac: string;
  /** The number of rows in the table up to that row. */
  readonly count: number;
  /** The time of the cut, in UTC: `2026-11-21T16:15:09.123Z`. */
  readonly at: string;
  /** The key that signed it. */
  readonly keyId: string;
}

/** The value as such a cut, not verified yet. Null if it is not one. */
export function readKeyedCheckpoint(value: unknown): KeyedCheckpoint | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, sequence, mac, count, at, keyId, signature } = value as Record<string, unknown>;
  const isCheckpoint =
    kind === 'cut' &&
    isCount(sequence) &&
    isCount(count) &&
    [mac, at, keyId, signature].every((text) => typeof text === 'string');
  return isCheckpoint ? ({ kind, sequence, mac, count, at, keyId, signature } as KeyedCheckpoint) : null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
