/** More would measure how two nodes on one machine queue. */
const CONCURRENCY_LIMIT = 8;

/** Runs `work` for each item, for a few at a time. Results have the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  async function takeTurns(): Promise<void> {
    for (const [index, item] of waiting) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: CONCURRENCY_LIMIT }, takeTurns));
  return results;
}
