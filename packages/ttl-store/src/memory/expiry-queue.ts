/** An entry of an {@link ExpiryQueue}. Only the queue writes `position`. */
export interface Expiring {
  /** Milliseconds on the store's clock. */
  expiresAt: number;
  position: number;
}

/**
 * A binary heap with the entry that expires first on top. Each entry knows its position, so an entry is moved when its
 * TTL changes and removed at once when it is deleted. The queue is never longer than the store. With equal TTLs, the
 * usual case, adding an entry takes constant time.
 */
export class ExpiryQueue<Entry extends Expiring> {
  readonly #heap: Entry[] = [];

  /** The entry that expires first. */
  first(): Entry | undefined {
    return this.#heap[0];
  }

  add(entry: Entry): void {
    this.#heap.push(entry);
    this.#rise(entry, this.#heap.length - 1);
  }

  remove(entry: Entry): void {
    const last = this.#heap.pop() as Entry;
    if (last === entry) return;
    last.position = entry.position;
    this.#heap[last.position] = last;
    this.reorder(last);
  }

  /** Call it after the entry's `expiresAt` has changed. */
  reorder(entry: Entry): void {
    this.#rise(entry, entry.position);
    this.#sink(entry, entry.position);
  }

  #rise(entry: Entry, from: number): void {
    let position = from;
    while (position > 0) {
      const above = (position - 1) >> 1;
      const parent = this.#heap[above] as Entry;
      if (parent.expiresAt <= entry.expiresAt) break;
      this.#place(parent, position);
      position = above;
    }
    this.#place(entry, position);
  }

  #sink(entry: Entry, from: number): void {
    let position = from;
    for (;;) {
      const left = this.#heap[2 * position + 1];
      const right = this.#heap[2 * position + 2];
      const earlier = right !== undefined && left !== undefined && right.expiresAt < left.expiresAt ? right : left;
      if (earlier === undefined || earlier.expiresAt >= entry.expiresAt) break;
      const freed = earlier.position;
      this.#place(earlier, position);
      position = freed;
    }
    this.#place(entry, position);
  }

  #place(entry: Entry, position: number): void {
    this.#heap[position] = entry;
    entry.position = position;
  }
}
