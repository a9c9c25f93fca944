/** The size of a chunk, in texts. A larger chunk slows insertion, a smaller one slows the search for the chunk. */
const MAX_CHUNK = 512;

/** A set of texts in order: chunks that are sorted, and split when they are full. Adding takes logarithmic time. */
export class SortedTexts {
  readonly #chunks: string[][] = [];

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** The text must not be in the set. */
  add(text: string): void {
    const at = this.#chunkOf(text);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([text]);
      return;
    }
    chunk.splice(firstAfter(chunk, text), 0, text);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** The text must be in the set. */
  remove(text: string): void {
    const at = this.#chunkOf(text);
    const chunk = this.#chunks[at] as string[];
    chunk.splice(firstAfter(chunk, text) - 1, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** A copy of at most `limit` texts that follow this one; null: the first ones. */
  after(text: string | null, limit: number): string[] {
    const found: string[] = [];
    let at = text === null ? 0 : this.#chunkOf(text);
    let from = text === null ? 0 : firstAfter(this.#chunks[at] ?? [], text);
    for (let chunk = this.#chunks[at]; chunk !== undefined && found.length < limit; chunk = this.#chunks[at]) {
      found.push(...chunk.slice(from, from + limit - found.length));
      at += 1;
      from = 0;
    }
    return found;
  }

  /** The last chunk that begins with this text or an earlier one; the first chunk if none does. */
  #chunkOf(text: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chunks[middle] as string[])[0]! <= text) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The index of the first text that follows this one. */
function firstAfter(texts: readonly string[], text: string): number {
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (texts[middle]! <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}
