import { closestName } from './closest-name.js';

interface UnknownNameOptions {
  /** Put before the names in the faults. */
  readonly path?: string;
  /** Names that are no faults, and are never suggested. */
  readonly alsoKnown?: readonly string[];
  /** Members of groups, such as `policy.maxSizeMb`: suggested for the name of the member alone. */
  readonly nested?: readonly string[];
}

/** A misspelt name would leave its option at the default, unseen. Each fault suggests the nearest known name. */
export function unknownNameFaults(
  given: readonly string[],
  known: readonly string[],
  { path = '', alsoKnown = [], nested = [] }: UnknownNameOptions = {},
): readonly string[] {
  // Of two groups with a member of the same name, neither is suggested: it would be a guess.
  const tails = nested.map((name) => name.slice(name.lastIndexOf('.') + 1));
  const fullNames = new Map<string, string>();
  for (const [index, tail] of tails.entries()) {
    if (tails.indexOf(tail) === tails.lastIndexOf(tail)) fullNames.set(tail, nested[index]!);
  }
  for (const name of known) fullNames.set(name, name);

  return given
    .filter((name) => !known.includes(name) && !alsoKnown.includes(name))
    .map((name) => {
      const meant = closestName(name, [...known, ...fullNames.keys()]);
      const hint =
        meant === null
          ? `the options are ${known.join(', ') || 'none'}`
          : `did you mean ${path}${fullNames.get(meant) ?? meant}?`;
      return `${path}${name} is not an option; ${hint}`;
    });
}
