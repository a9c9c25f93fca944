/**
 * A bounded map that keeps the most recently used entries, in two generations. A used entry moves to the newer
 * generation, and the older one is dropped as a whole.
 */
export class LruCache<Value> {
  readonly #minEntries: number;
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();

  /** @param minEntries the minimum number of entries that are kept; the maximum is twice as many */
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

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  set(key: string, value: Value): void {
    if (this.#newer.size >= this.#minEntries && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
