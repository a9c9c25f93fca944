import { assertItem, assertListRead, assertTtl, LIST_KEY_START, type StoreLists } from '../contract/index.js';
import type { RedisScripts } from './redis-scripts.js';

/** The maximum number of calls per page. Each call except for the last only skips expired items. */
const MAX_ROUNDS = 20;

/** The minimum number of items that one call reads, so that a small page does not take many calls. */
const MIN_BATCH = 100;

export interface RedisListsDependencies {
  readonly keyPrefix: string;
  readonly scripts: Pick<RedisScripts, 'putItem' | 'removeItem' | 'readList'>;
  readonly send: <Reply>(command: () => Promise<Reply>) => Promise<Reply>;
}

/** A list is two sorted sets: one of its items in order, one of their expiries. In a Cluster both are in one slot. */
export function createRedisLists({ keyPrefix, scripts, send }: RedisListsDependencies): StoreLists {
  // The braces choose the slot. '=' keeps them from being empty, which would choose none.
  const keysOf = (list: string) =>
    ['order', 'expiry'].map((what) => `${keyPrefix}${LIST_KEY_START}{=${list}}:${what}`) as [string, string];

  return {
    async put(list, item, ttlMillis) {
      assertItem(list, item);
      assertTtl(ttlMillis);
      await send(() => scripts.putItem(...keysOf(list), item, String(ttlMillis)));
    },

    async remove(list, item) {
      assertItem(list, item);
      return Number(await send(() => scripts.removeItem(...keysOf(list), item))) === 1;
    },

    async read(list, after, limit) {
      assertListRead(list, after, limit);
      const batch = Math.max(MIN_BATCH, limit);
      const items: string[] = [];
      let last = after;
      for (let round = 0; round < MAX_ROUNDS && items.length < limit; round += 1) {
        const start = last === null ? '-' : `(${last}`;
        const reply = await send(() => scripts.readList(...keysOf(list), start, String(batch)));
        const [seen, lastSeen, live] = reply as [number, string, string[]];
        items.push(...live);
        if (Number(seen) < batch && items.length <= limit) return { items, next: null };
        last = lastSeen;
      }
      const page = items.slice(0, limit);
      return { items: page, next: page.length < limit ? last : (page.at(-1) as string) };
    },
  };
}
