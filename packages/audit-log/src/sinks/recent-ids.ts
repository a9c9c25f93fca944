/**
 * The number of ids that a process writes in some minutes. A record is appended a second time only within one request
 * or one retry.
 */
const MAX_IDS = 20_000;

/** The ids of the last records. Their number is bounded, and the oldest are forgotten. */
export class RecentIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#ids.delete(id);
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    for (const id of this.#ids) {
      if (this.#ids.size <= MAX_IDS) return;
      this.#ids.delete(id);
    }
  }
}
