import { useEffect, useSyncExternalStore } from 'react';
import { useProfile } from '../session/profile.js';
import { countDrafts, type DraftStore, dropDraftsOfOthers, hasDrafts, subscribeDrafts } from './draft-store.js';

/** All drafts of the user in a place. */
export function useDrafts<Draft>(store: DraftStore<Draft>): ReadonlyMap<string, Draft> {
  const { id } = useProfile();
  return useSyncExternalStore(subscribeDrafts, () => store.of(id));
}

/** One draft of the user, and the ways to change it. */
export function useDraft<Draft>(store: DraftStore<Draft>, name: string) {
  const { id } = useProfile();
  const draft = useSyncExternalStore(subscribeDrafts, () => store.of(id).get(name) ?? null);
  return {
    draft,
    /** Gets the latest draft, which may be newer than the rendered one; null drops it. */
    update(change: (latest: Draft | null) => Draft | null): void {
      const next = change(store.of(id).get(name) ?? null);
      if (next === null) store.drop(id, name);
      else store.set(id, name, next);
    },
  };
}

/** How many drafts the user has in a place, which need not be loaded. */
export function useDraftCount(place: string): number {
  const { id } = useProfile();
  return useSyncExternalStore(subscribeDrafts, () => countDrafts(id, place));
}

/** Belongs into the frame of each user: nothing of another user stays, and a reload asks before it loses drafts. */
export function useDraftKeeping(): void {
  const { id } = useProfile();
  useEffect(() => dropDraftsOfOthers(id), [id]);
  const isAsking = useSyncExternalStore(subscribeDrafts, () => hasDrafts(id));
  useEffect(() => {
    if (!isAsking) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isAsking]);
}
