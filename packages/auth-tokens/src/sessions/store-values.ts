import type { TtlStore } from '@sallyport/ttl-store';

/** The values of several keys, in one call if the store has a verb for it. */
export async function valuesOf(
  store: Pick<TtlStore, 'get' | 'getAll'>,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  return store.getAll?.(keys) ?? Promise.all(keys.map((key) => store.get(key)));
}
