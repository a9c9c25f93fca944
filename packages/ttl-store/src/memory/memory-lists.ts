import { assertItem, assertListRead, assertTtl, listKey, type StoreLists } from '../contract/index.js';
import { SortedTexts } from './sorted-texts.js';

/** The store. It keeps each item as an entry, so items expire and count against its bounds. */
export interface ItemEntries {
  readonly now: () => number;
  isLive(key: string, moment: number): boolean;
  /** Adds the entry, or changes its expiry. Returns whether it was added. */
  put(list: string, key: string, expiresAt: number, moment: number): boolean;
  remove(key: string, moment: number): boolean;
}

export interface MemoryLists {
  readonly verbs: StoreLists;
  /** The store calls it for each entry of a list that it drops. */
  unlist(list: string, key: string): void;
}

/** The items of each list in order, in addition to their entries. */
export function createMemoryLists(entries: ItemEntries): MemoryLists {
  const { now } = entries;
  const sorted = new Map<string, SortedTexts>();

  const verbs: StoreLists = {
    async put(list, item, ttlMillis) {
      assertItem(list, item);
      assertTtl(ttlMillis);
      const moment = now();
      if (!entries.put(list, listKey(list) + item, moment + ttlMillis, moment)) return;
      const texts = sorted.get(list) ?? new SortedTexts();
      sorted.set(list, texts);
      texts.add(item);
    },

    async remove(list, item) {
      assertItem(list, item);
      return entries.remove(listKey(list) + item, now());
    },

    async read(list, after, limit) {
      assertListRead(list, after, limit);
      const moment = now();
      const items: string[] = [];
      let last = after;
      while (items.length < limit) {
        const found = sorted.get(list)?.after(last, limit - items.length) ?? [];
        if (found.length === 0) return { items, next: null };
        // The store drops expired items.
        items.push(...found.filter((item) => entries.isLive(listKey(list) + item, moment)));
        last = found.at(-1) as string;
      }
      return { items, next: last };
    },
  };

  return {
    verbs,
    unlist(list, key) {
      const texts = sorted.get(list) as SortedTexts;
      texts.remove(key.slice(listKey(list).length));
      if (texts.isEmpty) sorted.delete(list);
    },
  };
}
