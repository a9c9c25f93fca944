import type { SourceAccounts } from './sources.js';

/** The accounts of both audiences. */
export interface CountedAccounts {
  readonly administrators: {
    findByUsername(username: string): Promise<{ readonly id: string } | null>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  readonly appUserNames: {
    idOf(mobile: string): Promise<string | null>;
    /** Masked. */
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
}

/** Ids of accounts that were found lately: an attack tries few of them. Names without an account are not kept. */
const MAX_KEPT = 1000;
const KEPT_MILLIS = 60_000;

/** Finds the accounts of failed sign-ins. */
export function createSourceAccounts(
  { administrators, appUserNames }: CountedAccounts,
  normalizeUsername: (username: string) => string,
  now: () => number = () => performance.now(),
): SourceAccounts {
  const kept = new Map<string, { readonly id: string; readonly until: number }>();

  return {
    async idOf(audience, username) {
      const name = audience === 'admin' ? normalizeUsername(username) : username;
      const key = `${audience}:${name}`;
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return known.id;
      const found =
        audience === 'admin' ? (await administrators.findByUsername(name))?.id : await appUserNames.idOf(name);
      if (found == null) return null;
      kept.delete(key);
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
      kept.set(key, { id: found, until: now() + KEPT_MILLIS });
      return found;
    },
    namesOf: (audience, ids) => (audience === 'admin' ? administrators : appUserNames).namesOf(ids),
  };
}
