import { closestName } from './closest-name.js';

/** A misspelt name would leave its option at the default, unseen. Each fault suggests the nearest known name. */
export function unknownNameFaults(
  given: readonly string[],
  known: readonly string[],
  { path = '', alsoKnown = [] }: { readonly path?: string; readonly alsoKnown?: readonly string[] } = {},
): readonly string[] {
  return given
    .filter((name) => !known.includes(name) && !alsoKnown.includes(name))
    .map((name) => {
      const meant = closestName(name, known);
      const hint = meant === null ? `the options are ${known.join(', ') || 'none'}` : `did you mean ${path}${meant}?`;
      return `${path}${name} is not an option; ${hint}`;
    });
}
