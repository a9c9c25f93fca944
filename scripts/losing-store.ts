import { randomUUID } from 'node:crypto';
import type { MarkSight, MarkTerms, ReplaceBounds, StoreMarks, TtlStore } from '@sallyport/ttl-store';

type Entries = ReadonlyMap<string, { readonly value: string; readonly expiresAt: number }>;

/** A copy of the data of a store. */
export interface StoreCopy {
  readonly entries: Entries;
}

/** A shared store whose clock the test sets, and that loses its data in every way. */
export interface LosingStore {
  readonly store: Pick<TtlStore, 'lifetime' | 'get' | 'compareAndSet' | 'setIfAbsent' | 'take' | 'time' | 'marks'>;
  copy(): StoreCopy;
  /** Has the data of the copy from now on. With `isAnotherRun` as after a restart or a promotion. */
  become(copy: StoreCopy, isAnotherRun: boolean): void;
  readonly nothing: StoreCopy;
  /** As a store does now and then. */
  dropExpired(): void;
}

export function createLosingStore(now: () => number): LosingStore {
  let entries = new Map(Object.entries({}) as [string, { value: string; expiresAt: number }][]);
  let run = randomUUID() as string;

  const live = (key: string) => {
    const entry = entries.get(key);
    return entry !== undefined && entry.expiresAt > now() ? entry : undefined;
  };

  function see(mark: MarkTerms): MarkSight {
    const entry = live(mark.key);
    const sight = { time: now(), run, value: entry?.value ?? null, expiresAt: entry?.expiresAt ?? 0 };
    const holds = sight.value === mark.value && run === mark.run && sight.expiresAt >= mark.minExpiresAt;
    return { ...sight, holds };
  }

  function replace(key: string, expected: string | null, value: string, ttlMillis: number): boolean {
    if ((live(key)?.value ?? null) !== expected) return false;
    entries.set(key, { value, expiresAt: now() + ttlMillis });
    return true;
  }

  const marks: StoreMarks = {
    parts: 1,
    async keep(_part, mark, ttlMillis) {
      const sight = see(mark);
      const expiresAt = Math.max(sight.expiresAt, now() + ttlMillis);
      if (sight.holds) entries.set(mark.key, { value: mark.value, expiresAt });
      return sight.holds ? { ...sight, expiresAt } : sight;
    },
    async replace(_part, key, expected, value, ttlMillis, { minExpiresAt = 0, notAfter = 1e14 } = {} as ReplaceBounds) {
      const isRefused = now() > notAfter || (live(key)?.expiresAt ?? 0) < minExpiresAt;
      return !(expected !== null && isRefused) && replace(key, expected, value, ttlMillis);
    },
    async setIfAbsent(_part, mark, { key, value, ttlMillis, keepUntil, notBefore, notAfter }) {
      const sight = see(mark);
      if (!sight.holds) return { ...sight, outcome: 'unmarked' };
      if (sight.time < notBefore) return { ...sight, outcome: 'early' };
      if (sight.time > notAfter) return { ...sight, outcome: 'late' };
      if (live(key) !== undefined) return { ...sight, outcome: 'present' };
      entries.set(key, { value, expiresAt: Math.max(now() + ttlMillis, keepUntil) });
      return { ...sight, outcome: 'written' };
    },
    async get(_part, mark, key) {
      const { holds } = see(mark);
      return { holds, value: holds ? (live(key)?.value ?? null) : null };
    },
    keyIn: (_part, key) => key,
  };

  return {
    store: {
      lifetime: 'shared',
      marks,
      get: async (key) => live(key)?.value ?? null,
      compareAndSet: async (key, expected, value, ttlMillis) => replace(key, expected, value, ttlMillis),
      setIfAbsent: async (key, value, ttlMillis) => replace(key, null, value, ttlMillis),
      async take(key) {
        const value = live(key)?.value ?? null;
        entries.delete(key);
        return value;
      },
      time: async () => now(),
    },
    nothing: { entries: new Map() },
    dropExpired() {
      entries = new Map([...entries].filter(([, { expiresAt }]) => expiresAt > now()));
    },
    copy: () => ({ entries: new Map(entries) }),
    become(copy, isAnotherRun) {
      entries = new Map(copy.entries);
      if (isAnotherRun) run = randomUUID();
    },
  };
}
