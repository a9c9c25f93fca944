/** A key, how often it was counted, and by how much that may be too often. */
export type TopCount = readonly [key: string, count: number, over: number];

/** The keys that were counted most. */
export type TopCounts = Map<string, TopCount>;

/**
 * Counts a key among at most `capacity` (Space-Saving; Metwally, Agrawal and El Abbadi, 2005). A new key takes the
 * place and the count of the rarest one, so what is counted more often than one in `capacity` is never missing.
 * `count - over` is never more than was counted.
 */
export function addCount(counts: TopCounts, capacity: number, [key, count, over]: TopCount): void {
  const present = counts.get(key);
  if (present !== undefined) {
    counts.set(key, [key, present[1] + count, present[2] + over]);
    return;
  }
  if (counts.size < capacity) {
    counts.set(key, [key, count, over]);
    return;
  }
  let rarest: TopCount | undefined;
  for (const each of counts.values()) if (rarest === undefined || each[1] < rarest[1]) rarest = each;
  const [rarestKey, taken] = rarest!;
  counts.delete(rarestKey);
  counts.set(key, [key, taken + count, taken + over]);
}

export interface SureCount {
  readonly key: string;
  /** At least so often. */
  readonly count: number;
}

/** The most frequent keys, by what was counted for sure. */
export function mostFrequent(counts: TopCounts, limit: number): SureCount[] {
  return [...counts.values()]
    .map(([key, count, over]) => ({ key, count: count - over }))
    .sort((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1))
    .slice(0, limit);
}
