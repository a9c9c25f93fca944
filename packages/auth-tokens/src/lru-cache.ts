/**
 * A bounded map that keeps the entries used last, in two generations: an entry that is used moves to the newer one, and
 * the older one is dropped as a whole.
 */
export class LruCache<Value> {
  readonly #minEntries: number;
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();

  /** @param minEntries how many entries are kept at least; at most twice as many */
  constructor(minEntries: number) {
    this.#minEntries = minEntries;
  }

  get(key: string): Value | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.#newer.size >= this.#minEntries && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
