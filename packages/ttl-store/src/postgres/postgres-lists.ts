import type { BoundedCall } from '@sallyport/plugin-kit/deadlines';
import { assertItem, assertListRead, assertTtl, listKey, type StoreLists } from '../contract/index.js';
import type { prepareStatements } from './postgres-statements.js';
import { ITEM_VALUE } from './postgres-table.js';

/** Sorts after every printable character. */
const AFTER_ITEMS = '\u007f';

export interface PostgresListsDependencies {
  readonly statements: Pick<ReturnType<typeof prepareStatements>, 'set' | 'delete' | 'readList'>;
  readonly keyPrefix: string;
  readonly bounded: BoundedCall;
  readonly countWrite: () => void;
}

/** Items are entries. Their keys begin with the key of their list. */
export function createPostgresLists(dependencies: PostgresListsDependencies): StoreLists {
  const { statements, keyPrefix, bounded, countWrite } = dependencies;
  const startOf = (list: string) => keyPrefix + listKey(list);

  return {
    async put(list, item, ttlMillis) {
      assertItem(list, item);
      assertTtl(ttlMillis);
      await bounded(() => statements.set.execute({ key: startOf(list) + item, value: ITEM_VALUE, ttlMillis }));
      countWrite();
    },

    async remove(list, item) {
      assertItem(list, item);
      return (await bounded(() => statements.delete.execute({ key: startOf(list) + item }))).length === 1;
    },

    async read(list, after, limit) {
      assertListRead(list, after, limit);
      const start = startOf(list);
      const range = { start, after: start + (after ?? ''), end: start + AFTER_ITEMS, limit };
      const items = (await bounded(() => statements.readList.execute(range))).map(({ item }) => item);
      return { items, next: items.length < limit ? null : (items.at(-1) as string) };
    },
  };
}
