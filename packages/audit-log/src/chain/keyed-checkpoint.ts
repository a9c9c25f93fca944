/**
 * A checkpoint of releases before the signed ones: an HMAC with the key of the chain, as one JSON object. No release
 * makes them any more. They are still read, so that a log which was cut by an earlier release can be verified.
 */
export interface KeyedCheckpoint extends KeyedContent {
  readonly signature: string;
}

export interface KeyedContent {
  readonly kind: 'progress' | 'cut';
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

/** The value as such a checkpoint, not verified yet. Null where it is not one. */
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
