/** What one user typed in a place and did not save, by name. It lasts while the page lives. */
export interface DraftStore<Draft> {
  /** The drafts of a user. Those of another user are not seen. */
  of(owner: string): ReadonlyMap<string, Draft>;
  set(owner: string, name: string, draft: Draft): void;
  drop(owner: string, name: string): void;
  dropAll(): void;
}

/** The stores that exist, by the path of their place. */
const stores = new Map<string, Pick<DraftStore<unknown>, 'of' | 'dropAll'>>();
const listeners = new Set<() => void>();

/** @param place its path below `/console` */
export function createDraftStore<Draft>(place: string): DraftStore<Draft> {
  const none: ReadonlyMap<string, Draft> = new Map();
  let kept = { owner: '', drafts: none };

  function keep(owner: string, drafts: ReadonlyMap<string, Draft>): void {
    kept = { owner, drafts };
    for (const listener of listeners) listener();
  }

  function of(owner: string): ReadonlyMap<string, Draft> {
    return kept.owner === owner ? kept.drafts : none;
  }

  const store: DraftStore<Draft> = {
    of,
    set: (owner, name, draft) => keep(owner, new Map(of(owner)).set(name, draft)),
    drop(owner, name) {
      if (!of(owner).has(name)) return;
      keep(owner, new Map([...of(owner)].filter(([each]) => each !== name)));
    },
    dropAll: () => keep('', none),
  };
  stores.set(place, store);
  return store;
}

/** Calls back after each change of any draft. */
export function subscribeDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How many drafts a user has in a place. */
export function countDrafts(owner: string, place: string): number {
  return stores.get(place)?.of(owner).size ?? 0;
}

export function hasDrafts(owner: string): boolean {
  return [...stores.values()].some((store) => store.of(owner).size > 0);
}

/** Forgets what other users typed. */
export function dropDraftsOfOthers(owner: string): void {
  for (const store of stores.values()) if (store.of(owner).size === 0) store.dropAll();
}
