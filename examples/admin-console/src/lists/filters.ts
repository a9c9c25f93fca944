import { useSearchParams } from 'wouter';

/** The filters of a list, in the address bar: a link shows the same list, and Back goes to the one before. */
export interface Filters<Name extends string> {
  readonly values: Readonly<Partial<Record<Name, string>>>;
  /**
   * Sets all filters from the members of a form, and goes to the first page. Empty texts are no filters. Members of the
   * address that are no filters stay.
   */
  apply(form: FormData): void;
  /** The place in the list. Null: its beginning. */
  readonly after: string | null;
  goTo(after: string | null): void;
}

const AFTER = 'after';

/** @param names the filters of this list; all other members of the address are ignored */
export function useFilters<const Name extends string>(names: readonly Name[]): Filters<Name> {
  const [search, setSearch] = useSearchParams();
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search.get(name);
    if (value !== null && value !== '') values[name] = value;
  }
  return {
    values,
    apply(form) {
      const next = new URLSearchParams(search);
      for (const name of [...names, AFTER]) next.delete(name);
      for (const name of names) {
        const value = form.get(name);
        if (typeof value === 'string' && value.trim() !== '') next.set(name, value.trim());
      }
      setSearch(next);
    },
    after: search.get(AFTER),
    goTo(after) {
      const next = new URLSearchParams(search);
      if (after === null) next.delete(AFTER);
      else next.set(AFTER, after);
      setSearch(next);
    },
  };
}

/** The choice that a filter names, for filters with a closed set of choices. */
export function choiceOf<const Choice extends string>(
  choices: readonly Choice[],
  value: string | undefined,
): Choice | undefined {
  return choices.find((choice) => choice === value);
}

type Given<Query> = { [Name in keyof Query]?: NonNullable<Query[Name]> };

/** The members of a query that have a value. The service refuses a member without one. */
export function given<Query extends Readonly<Record<string, unknown>>>(query: Query): Given<Query> {
  const kept: Given<Query> = {};
  for (const name in query) {
    const value = query[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}
