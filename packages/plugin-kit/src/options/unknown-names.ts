import { closestName } from './closest-name.js';

interface UnknownNameOptions {
  /** Put before the names in the faults. */
  readonly path?: string;
  /** Names that are no faults, and are never suggested. */
  readonly alsoKnown?: readonly string[];
  /** Members of groups, such as `policy.maxSizeMb`. They are suggested for the bare name of the member. */
  readonly nested?: readonly string[];
}

/**
 * The faults of unknown names. A misspelt name would silently leave its option at the default. Each fault suggests the
 * nearest known name.
 */
export function unknownNameFaults(
  given: readonly string[],
  known: readonly string[],
  { path = '', alsoKnown = [], nested = [] }: UnknownNameOptions = {},
): readonly string[] {
  // If two groups have a member of the same name, neither is suggested, because it would be a guess.
  const tails = nested.map((name) => name.slice(name.lastIndexOf('.') + 1));
  const fullNames = new Map(known.map((name) => [name, name]));
  for (const [index, tail] of tails.entries()) {
    const isUnique = tails.indexOf(tail) === tails.lastIndexOf(tail);
    if (isUnique && !fullNames.has(tail)) fullNames.set(tail, nested[index]!);
  }

  return given
    .filter((name) => !known.includes(name) && !alsoKnown.includes(name))
    .map((name) => {
      const meant = closestName(name, [...fullNames.keys()]);
      const hint =
        meant === null
          ? `the options are ${known.join(', ') || 'none'}`
          : `did you mean ${path}${fullNames.get(meant) ?? meant}?`;
      return `${path}${name} is not an option; ${hint}`;
    });
}
