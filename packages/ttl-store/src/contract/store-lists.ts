/**
 * Lists of short texts in the order of their bytes, each item with an expiry of its own. They answer what keys can't:
 * which there are. A package that keeps entries under keys lists them beside, and finds them again page by page.
 *
 * Rules of `TtlStore` for lifetimes, atomicity and failures apply: an item is present until its TTL has run out, and
 * absent from then on, and a full store refuses `put`. A list is there while it has items.
 *
 * The name of a list has 1 to {@link MAX_LIST_NAME_LENGTH} characters of printable ASCII, an item 1 to
 * {@link MAX_ITEM_LENGTH}: their order is then the same in every store.
 *
 * A list and an entry are two writes, in a Redis Cluster on two machines. To lose nothing in a crash between them, put
 * the item first, remove it last, and look at the entry of each item that you read.
 */
export interface StoreLists {
  /** Adds the item, or sets its TTL anew if it is there. */
  put(list: string, item: string, ttlMillis: number): Promise<void>;

  /** Resolves to whether it was there. */
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
   * The `after` of the next page. Null: this was the last one. A page may have fewer items than the limit, or none,
   * though others follow: expired ones were in their places.
   */
  readonly next: string | null;
}

/** The longest name of a list. With the longest item it fits a PostgreSQL B-tree index. */
export const MAX_LIST_NAME_LENGTH = 256;

/** The longest item: a name, not a record. */
export const MAX_ITEM_LENGTH = 512;

/** The most items that one read returns. */
export const MAX_LIST_LIMIT = 1000;

/** Keys that begin so are those of lists, in every store. No entry may have one. */
export const LIST_KEY_START = '\u0001list:';

/** Where the items of a list are kept, by a store that keeps them as entries: the item follows. */
export function listKey(list: string): string {
  return `${LIST_KEY_START}${list}\u0001`;
}
