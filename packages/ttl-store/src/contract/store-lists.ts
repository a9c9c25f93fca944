/**
 * Lists of short texts in the order of their bytes, each item with an expiry of its own. Keys can't be enumerated;
 * items can. A package that keeps entries under keys also puts the keys into a list, and reads them page by page.
 *
 * The rules of `TtlStore` for lifetimes, atomicity and failures apply: an item is present until its TTL has run out,
 * and absent from then on, and a full store refuses `put`. A list exists while it has items.
 *
 * The name of a list has 1 to {@link MAX_LIST_NAME_LENGTH} characters of printable ASCII, an item 1 to
 * {@link MAX_ITEM_LENGTH}: the order of such texts is the same in every store.
 *
 * A list and an entry are two writes, in a Redis Cluster on two machines. To lose nothing in a crash between them, put
 * the item first, remove it last, and look at the entry of each item that you read.
 */
export interface StoreLists {
  /** Adds the item, or renews its TTL if it is present. */
  put(list: string, item: string, ttlMillis: number): Promise<void>;

  /** Removes the item. Resolves to whether it was present. */
  remove(list: string, item: string): Promise<boolean>;

  /**
   * The items that follow `after` in the order of their bytes, the first ones if it is null. `after` need not be in the
   * list. Items that are put or removed meanwhile don't shift the others.
   *
   * @param limit 1 to {@link MAX_LIST_LIMIT} items
   */
  read(list: string, after: string | null, limit: number): Promise<ListPage>;
}

export interface ListPage {
  readonly items: readonly string[];
  /**
   * The `after` of the next page. Null after the last page. A page may have fewer items than the limit, or none,
   * although others follow, because expired items were skipped.
   */
  readonly next: string | null;
}

/** The longest name of a list. With the longest item it fits a PostgreSQL B-tree index. */
export const MAX_LIST_NAME_LENGTH = 256;

/** The longest item: a name, not a record. */
export const MAX_ITEM_LENGTH = 512;

/** The maximum number of items that one read returns. */
export const MAX_LIST_LIMIT = 1000;

/** The prefix of the keys of lists, in every store. No entry may have such a key. */
export const LIST_KEY_START = '\u0001list:';

/** The prefix of the keys of a list's items, in a store that keeps items as entries. The item follows it. */
export function listKey(list: string): string {
  return `${LIST_KEY_START}${list}\u0001`;
}
