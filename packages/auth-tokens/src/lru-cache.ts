/** A map that is bounded, and keeps what is used. */
export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * Two generations: what was used lately moves on to the newer one, and the older one is dropped as a whole.
 *
 * @param kept how many entries are there at least, and at most twice as many
 */
export function createRecentlyUsed<Value>(kept: number): RecentlyUsed<Value> {
  let recent = new Map<string, Value>();
  let earlier = new Map<string, Value>();

  function set(key: string, value: Value): void {
    if (recent.size >= kept && !recent.has(key)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, value);
  }

  return {
    get(key) {
      const found = recent.get(key);
      if (found !== undefined) return found;
      const older = earlier.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
  };
}
